import { inBatches } from '../../system/in-batches.js';
import type { Facts } from '../facts/facts.js';
import type { IgnoredValues } from './ignored-values.js';
import type { Servers } from './servers.js';

/** The measurements of one server in a notification of several. */
export interface ServerFacts {
  readonly serverId: string;
  readonly facts: Facts;
  /** The place of each measurement among the elements of the body, from 0 on. */
  readonly indexes: readonly number[];
}

/** What a notification of several servers caused. */
export interface FactsByEntityReply {
  /** Number of facts. */
  readonly facts: number;
  /** Number of evaluations. */
  readonly evaluated: number;
  /** Number of firings. */
  readonly fired: number;
  /** Number of servers with a fact. */
  readonly servers: number;
  /** The servers that took nothing, in the order of the notification. */
  readonly refused: readonly RefusedServer[];
  /** The servers of which values were left out, in the order of the notification. */
  readonly ignored: readonly IgnoredOfServer[];
}

/** A server that took nothing. */
export interface RefusedServer {
  readonly server: ServerFacts;
  /** What operation 1 would have failed with. */
  readonly error: unknown;
}

/** The values of one server that a notification left out. */
export interface IgnoredOfServer {
  readonly serverId: string;
  readonly ignored: readonly IgnoredValues[];
}

/**
 * Maximum number of values that are sent to servers at once. A server counts as at least 16 of them, so there are at most 128
 * servers. Servers decide at once on facts that they are sent: more values would hold the event loop for long.
 */
const AT_ONCE = { values: 2_048, ofServer: 16 };

/** Makes the facts by entity: the measurements of several servers in one request. */
export function createFactsByEntity(servers: Pick<Servers, 'facts'>) {
  return {
    /**
     * Takes the measurements of each server in one atomic step, whatever the other servers do. The tenant must be known. Never
     * rejects. `all`: read as it is taken. `trace`: the span of the request.
     */
    async take(tenantId: string, all: Iterable<ServerFacts>, trace?: string): Promise<FactsByEntityReply> {
      const sum = { facts: 0, evaluated: 0, fired: 0, servers: 0 };
      const refused: RefusedServer[] = [];
      const ignored: IgnoredOfServer[] = [];
      for await (const batch of inBatches(all, AT_ONCE.values, costOf)) {
        const replies = await Promise.allSettled(
          batch.map(async ({ serverId, facts }) => servers.facts(tenantId, serverId, facts, trace)),
        );
        for (const [i, reply] of replies.entries()) {
          const server = batch[i]!;
          if (reply.status === 'rejected') {
            refused.push({ server, error: reply.reason as unknown });
            continue;
          }
          const { counted, leftOut = 0, evaluated, fired } = reply.value;
          if (counted) {
            sum.facts += server.facts.measures.length - leftOut;
            sum.evaluated += evaluated;
            sum.fired += fired;
            sum.servers += 1;
          }
          if (reply.value.ignored !== undefined)
            ignored.push({ serverId: server.serverId, ignored: reply.value.ignored });
        }
      }
      return { ...sum, refused, ignored };
    },
  };
}

function costOf({ facts }: ServerFacts): number {
  let values = 0;
  for (const measures of facts.measures) for (const _ in measures) values += 1;
  return Math.max(AT_ONCE.ofServer, values);
}
