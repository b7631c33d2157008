import { setImmediate } from 'node:timers/promises';
import { Refusal } from '../../errors.js';
import type { SourceName } from '../facts/facts.js';
import type { FactsSettings } from '../facts/measuring-attributes.js';
import { createFactsByEntity, type RefusedServer } from '../server/facts-by-entity.js';
import type { Servers } from '../server/servers.js';
import { valuesOf } from './fact-parts.js';
import { inParts } from './in-parts.js';
import { type LeftOut, LeftOutValues } from './left-out.js';
import { type SourceFacts, sourceReader } from './source-facts.js';

/** A server that takes nothing from a source, however often it is sent. */
export interface RefusingServer {
  readonly serverId: string;
  /** Number of the values that it refused. */
  readonly values: number;
  readonly message: string;
}

/** What the values of one request of a source caused. */
export interface SourceReply {
  /** Number of values that count. */
  readonly counted: number;
  /** Number of facts. */
  readonly facts: number;
  /** Number of firings with messages. */
  readonly fired: number;
  /** The values that were left out, one element for each reason. */
  readonly leftOut: readonly LeftOut[];
  readonly refused: readonly RefusingServer[];
}

/** What is told of each request of a source. */
export interface SourceObserver {
  /** `evaluations`: number of evaluations of conditions that the request caused. */
  taken(tenantId: string, source: SourceName, reply: SourceReply, evaluations: number): void;
}

/** The intake of values from what measures. */
export type SourceIntake = ReturnType<typeof createSourceIntake>;

/**
 * Makes the intake that remote write, OTLP and MQTT share (docs/sources.md). Values of one server with one time in a
 * request are one fact. A server takes its facts in the order of time and in one commit, or in several if they can cause
 * more than 1,000 messages or are in several parts. `refusalOf` returns the refusal that a client gets for an error.
 */
export function createSourceIntake(options: {
  readonly servers: Pick<Servers, 'facts'>;
  readonly settings: FactsSettings;
  readonly refusalOf: (error: unknown) => Refusal;
  readonly observer: SourceObserver;
}) {
  const { servers, settings, refusalOf, observer } = options;
  const factsByEntity = createFactsByEntity({ facts: inParts(servers.facts, refusalOf) });
  return {
    /**
     * Returns the facts in values `{server, metric, value, at?}` (`SourceValue`) of one request, see `sourceReader`. Values
     * that count nothing are left out, with the reason. It never throws. A thread that reads large bodies calls
     * `sourceReader` itself.
     */
    read: sourceReader(settings),
    /**
     * Takes the facts of one request of a tenant, which must be known (`tenants.resolve`). A value counts once by its time:
     * the same request again counts nothing twice, unless values have no time. Rejects if a server could not take its
     * facts now, and may take them later: with `Refusal('unavailable')`, or with the fault of the service. The whole request
     * must then be sent again. What other servers took stays. Nothing else of a request is an error: what the values were
     * left out for is in the reply, in `mirzam_values_ignored_total` and in the list for operators, and what was
     * refused is in the reply and in the list of refused measurements. `facts`: those of the request, or its parts, which
     * are taken one after the other. `trace`: the span of the request.
     */
    async take(
      tenantId: string,
      source: SourceName,
      facts: SourceFacts | Iterable<SourceFacts>,
      trace?: string,
    ): Promise<SourceReply> {
      const leftOut = new LeftOutValues();
      const refused: RefusingServer[] = [];
      const sum = { counted: 0, facts: 0, fired: 0, evaluated: 0 };
      let passing: FailedServer | undefined;
      let isFirst = true;
      for (const part of Symbol.iterator in facts ? facts : [facts]) {
        // Other work gets a turn of the event loop in between: servers answer at once to values that they have.
        if (!isFirst) await setImmediate();
        isFirst = false;
        const all = part.servers.map((one) => ({ ...one, facts: { ...one.facts, origin: source } }));
        const taken = await factsByEntity.take(tenantId, all, trace);
        for (const { why, last, count } of part.leftOut) leftOut.add(why, last, count);
        let notCounted = 0;
        for (const { serverId, ignored } of taken.ignored) {
          for (const { why, metric, count } of ignored) {
            notCounted += count;
            if (why !== 'other subscription') leftOut.add(why, { server: serverId, metric }, count);
          }
        }
        for (const one of taken.refused) {
          const failed = { ...one, refusal: refusalOf(one.error) };
          notCounted += valuesOf(one.server);
          if (mayPass(failed.refusal)) passing ??= failed;
          else refused.push(refusingServer(failed));
        }
        sum.counted += part.values - notCounted;
        sum.facts += taken.facts;
        sum.fired += taken.fired;
        sum.evaluated += taken.evaluated;
        // The values of further parts would be later than those that were not taken, which would then be too old.
        if (passing !== undefined) break;
      }
      const { evaluated, ...counts } = sum;
      const reply: SourceReply = { ...counts, leftOut: leftOut.all, refused };
      observer.taken(tenantId, source, reply, evaluated);
      if (passing !== undefined) throw tryAgain(passing);
      return reply;
    },
  };
}

/** A server that took nothing, and the refusal that a client gets for its error. */
interface FailedServer extends RefusedServer {
  readonly refusal: Refusal;
}

function refusingServer({ server, refusal: { message } }: FailedServer): RefusingServer {
  return { serverId: server.serverId, values: valuesOf(server), message };
}

/** Maximum number of servers that a text names. */
const NAMED = 4;

/** Returns the parts of a text about servers that refused values: `partOf` the first four, and the number of the others. */
export function refusingServersParts(
  refused: readonly RefusingServer[],
  partOf: (server: RefusingServer) => string,
): readonly string[] {
  const named = refused.slice(0, NAMED).map(partOf);
  const more = refused.length - named.length;
  return more > 0 ? [...named, `and ${more} more servers`] : named;
}

/** True if the same values may be taken later. */
function mayPass({ code }: Refusal): boolean {
  return code === 'unavailable' || code === 'internal';
}

/** Returns the error of a request that must be sent again. A fault of the service is thrown as it is, to be logged. */
function tryAgain({ server, error, refusal: { code, message, retryAfterS } }: FailedServer): unknown {
  if (code === 'internal') return error;
  return new Refusal(
    'unavailable',
    `server ${server.serverId}: ${message}; what other servers took stays, send the whole request again`,
    { cause: error, ...(retryAfterS === undefined ? {} : { retryAfterS }) },
  );
}
