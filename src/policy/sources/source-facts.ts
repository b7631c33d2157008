import type { Measures, Metric } from '../rules/metrics.js';
import {
  type FactsSettings,
  type MeasuringAttribute,
  sourceAttributes,
} from '../facts/measuring-attributes.js';
import { isNamedServerId } from '../server/server-id.js';
import type { ServerFacts } from '../server/facts-by-entity.js';
import { LeftOutValues, type LeftOut } from './left-out.js';
import type { LeftOutWhy, SourceValue } from './source-value.js';

/** The values of one request of a source: plain data, which a thread can send. */
export interface SourceFacts {
  /** Each with facts in the order of their times, those without a time last. */
  readonly servers: readonly ServerFacts[];
  /** Number of the values in `servers`. */
  readonly values: number;
  /** The values that are left out, one element for each reason. */
  readonly leftOut: readonly LeftOut[];
}

/** A fact that grows. */
interface GrowingFact {
  readonly measures: Record<Metric, number>;
  readonly times: Record<Metric, number>;
}

/** The facts of one server by their times, µs since the epoch. */
type FactsByTime = Map<number, GrowingFact>;

const NOT_OF_IDS = /[^A-Za-z0-9_.:~-]/gu;
const NOT_OF_METRICS = /[^A-Za-z0-9_]/gu;
/**
 * Longest texts, in UTF-16 code units, that can become an id of a server (256 characters) or a name of a metric (64): a character has
 * one or two. Replacing the characters of longer ones would only take time.
 */
const LONGEST = { id: 512, metric: 128 };
/** Stands for no time: its fact is the last. */
const NO_TIME = Infinity;

/**
 * Makes the function that groups the values of one request: values of one server with one time are one fact. Of values of
 * one metric and one time the first counts. Values that are no metric here, that are no number or out of range, and those
 * without the id of a server are left out. It never throws, and is pure, so that a thread can call it.
 */
export function sourceReader(settings: FactsSettings): (values: Iterable<SourceValue>) => SourceFacts {
  const attributeOf = sourceAttributes(settings);
  return (values) => {
    const attributes = new Map<string, MeasuringAttribute | undefined>();
    const servers = new Map<string, FactsByTime | undefined>();
    const byId = new Map<string, FactsByTime>();
    const leftOut = new LeftOutValues();
    let count = 0;
    for (const one of values) {
      let attribute = attributes.get(one.metric);
      if (attribute === undefined && !attributes.has(one.metric)) {
        const isLong = one.metric.length > LONGEST.metric;
        attribute = isLong ? undefined : attributeOf(one.metric.replace(NOT_OF_METRICS, '_'));
        attributes.set(one.metric, attribute);
      }
      let facts = servers.get(one.server);
      if (facts === undefined && !servers.has(one.server)) {
        facts = factsOfServer(byId, one.server);
        servers.set(one.server, facts);
      }
      const why = addTo(facts, attribute, one);
      if (why === undefined) count += 1;
      else leftOut.add(why, one);
    }
    return { servers: [...byId].flatMap(serverFacts), values: count, leftOut: leftOut.all };
  };
}

/** Returns the facts of the server that a text names; undefined for a text that is not an id of a server. */
function factsOfServer(byId: Map<string, FactsByTime>, text: string): FactsByTime | undefined {
  if (text.length > LONGEST.id) return undefined;
  const id = text.replace(NOT_OF_IDS, '_');
  if (!isNamedServerId(id)) return undefined;
  let facts = byId.get(id);
  if (facts === undefined) byId.set(id, (facts = new Map()));
  return facts;
}

/** Adds a value to the facts of its server. Returns why it was left out instead. */
function addTo(
  facts: FactsByTime | undefined,
  attribute: MeasuringAttribute | undefined,
  { value, at }: SourceValue,
): LeftOutWhy | undefined {
  // First what a setting may change: most of what a source sends is not wanted here, and has no need of a server.
  if (attribute === undefined) return 'no metric';
  if (facts === undefined) return 'no server';
  if (Number.isNaN(value)) return 'not a number';
  const read = attribute.read(value);
  if (at !== undefined && Number.isNaN(at)) return 'no time';
  const time = at === undefined ? NO_TIME : Math.round(at * 1000);
  if (read === undefined || (time !== NO_TIME && !Number.isSafeInteger(time))) return 'out of range';
  let fact = facts.get(time);
  if (fact === undefined) facts.set(time, (fact = { measures: {}, times: {} }));
  const { metric } = attribute;
  if (Object.hasOwn(fact.measures, metric)) return 'repeated';
  fact.measures[metric] = read;
  if (time !== NO_TIME) fact.times[metric] = time;
  return undefined;
}

/** Returns the facts of a server in order; nothing if all of its values were left out. */
function serverFacts([serverId, facts]: readonly [string, FactsByTime]): readonly ServerFacts[] {
  if (facts.size === 0) return [];
  const inOrder = [...facts];
  if (inOrder.length > 1) inOrder.sort(([a], [b]) => (a < b ? -1 : 1));
  const measures: Measures[] = [];
  const times: (Measures | undefined)[] = [];
  for (const [time, fact] of inOrder) {
    measures.push(fact.measures);
    times.push(time === NO_TIME ? undefined : fact.times);
  }
  const timed = times.every((one) => one === undefined) ? {} : { times };
  return [{ serverId, facts: { measures, ...timed, source: undefined }, indexes: [] }];
}
