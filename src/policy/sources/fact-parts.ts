import { deserialize, serialize } from 'node:v8';
import type { Facts } from '../facts/facts.js';
import type { Measures, Metric } from '../rules/metrics.js';
import type { ServerFacts } from '../server/facts-by-entity.js';
import type { SourceFacts } from './source-facts.js';

/**
 * Maximum cost of a part, and minimum cost of a fact. A value costs 1: a part has at most 4,000 values, and at most 1,000 facts.
 * A body may have tens of thousands, and what a thread has read is copied, and then taken, on the event loop: part by part, so
 * that no body holds it for long. A server with a subscription takes no more facts in one commit anyway: each of them can be a
 * message.
 */
const PART = { cost: 4_000, fact: 4 };
/** Maximum number of values of a fact: objects of more members are slow to copy. More values of one time are several facts. */
const WIDEST_FACT = 1_000;
/**
 * Maximum number of values of a fact that is copied as an object. The first objects with thousands of new names take V8 ten times
 * as long to copy as maps.
 */
const WIDEST_OBJECT = 16;

/** Divides the facts of one request into parts, each in bytes. A server with more facts than a part can have is in several. */
export function packedParts({ servers, leftOut }: SourceFacts): readonly Uint8Array[] {
  const parts: ServerFacts[][] = [[]];
  let room = PART.cost;
  const next = (): void => {
    parts.push([]);
    room = PART.cost;
  };
  for (const given of servers) {
    const server = { ...given, facts: narrowed(given.facts) };
    const costs = server.facts.measures.map(costOf);
    const all = costs.reduce((sum, cost) => sum + cost, 0);
    // One commit for the facts of a server, if a part can hold them.
    if (all > room && all <= PART.cost) next();
    for (let from = 0; from < costs.length;) {
      if (costs[from]! > room) next();
      let to = from;
      do {
        room -= costs[to]!;
        to += 1;
      } while (to < costs.length && costs[to]! <= room);
      const isWhole = to - from === costs.length;
      parts.at(-1)!.push(isWhole ? server : { ...server, facts: factsPart(server.facts, from, to) });
      from = to;
    }
  }
  return parts.map((part, i) => {
    const values = part.reduce((sum, server) => sum + valuesOf(server), 0);
    const servers = part.map((server) => withValues(server, packedValues));
    return serialize({ servers, values, leftOut: i === 0 ? leftOut : [] } satisfies SourceFacts);
  });
}

/**
 * Divides the facts of servers into parts as `packedParts` does, but with all facts of a server, as they are, in one part: one
 * commit takes them all or none.
 */
export function packedServers(servers: readonly ServerFacts[]): readonly Uint8Array[] {
  const parts: ServerFacts[][] = [];
  let room = 0;
  for (const server of servers) {
    const cost = server.facts.measures.reduce((sum, measures) => sum + costOf(measures), 0);
    if (cost > room || parts.length === 0) {
      parts.push([]);
      room = PART.cost;
    }
    room -= cost;
    parts.at(-1)!.push(withValues(server, packedValues));
  }
  return parts.map((part) => serialize(part));
}

/** Yields the servers of the parts. A part is read when the first of its servers is asked for. */
export function* unpackedServers(parts: readonly Uint8Array[]): Generator<ServerFacts> {
  for (const part of parts)
    for (const server of deserialize(part) as readonly ServerFacts[])
      yield withValues(server, unpackedValues);
}

/** Returns the facts of a server with their values and times changed. */
function withValues(server: ServerFacts, change: (values: Measures) => Measures): ServerFacts {
  const { measures: before, times, ...rest } = server.facts;
  const measures = before.map(change);
  // Of nearly all servers. A time has no metric that its values do not have.
  if (measures.every((one, i) => one === before[i])) return server;
  const facts = { ...rest, measures };
  if (times === undefined) return { ...server, facts };
  return { ...server, facts: { ...facts, times: times.map((one) => one && change(one)) } };
}

/** Returns values as they are copied: many as a map, which `unpackedValues` makes an object again. */
function packedValues(values: Measures): Measures {
  const entries = Object.entries(values);
  return entries.length > WIDEST_OBJECT ? (new Map(entries) as object as Measures) : values;
}

function unpackedValues(values: Measures): Measures {
  if (!(values instanceof Map)) return values;
  // Without a prototype it is a hash table from the beginning: new names make no hidden classes.
  const object = Object.create(null) as Record<Metric, number>;
  for (const [metric, value] of values as ReadonlyMap<Metric, number>) object[metric] = value;
  return object;
}

/** Returns facts of which none has more than `WIDEST_FACT` values. Those of one fact are a group. */
function narrowed(facts: Facts): Facts {
  const { measures, times, ...rest } = facts;
  if (measures.every((one) => Object.keys(one).length <= WIDEST_FACT)) return facts;
  const parts = measures.flatMap((one, i) => {
    const values = Object.entries(one);
    const of = times?.[i];
    return Array.from({ length: Math.ceil(values.length / WIDEST_FACT) }, (_, part) => {
      const some = values.slice(part * WIDEST_FACT, (part + 1) * WIDEST_FACT);
      const timesOf = of && Object.fromEntries(some.map(([metric]) => [metric, of[metric]!]));
      return { measures: Object.fromEntries(some), times: timesOf, group: i };
    });
  });
  const narrow = {
    ...rest,
    measures: parts.map((part) => part.measures),
    groups: parts.map(({ group }) => group),
  };
  return times === undefined ? narrow : { ...narrow, times: parts.map((part) => part.times) };
}

function costOf(measures: Facts['measures'][number]): number {
  return Math.max(PART.fact, Object.keys(measures).length);
}

/** Yields the parts as they are asked for. */
export function* unpackedParts(parts: readonly Uint8Array[]): Generator<SourceFacts> {
  for (const part of parts) {
    const { servers, ...rest } = deserialize(part) as SourceFacts;
    yield { ...rest, servers: servers.map((server) => withValues(server, unpackedValues)) };
  }
}

/** Returns the facts from one index to another. */
export function factsPart({ measures, times, groups, ...rest }: Facts, from: number, to: number): Facts {
  const part = {
    ...rest,
    measures: measures.slice(from, to),
    ...(groups === undefined ? {} : { groups: groups.slice(from, to) }),
  };
  return times === undefined ? part : { ...part, times: times.slice(from, to) };
}

/** Returns the number of values in the facts of a server. */
export function valuesOf({ facts }: Pick<ServerFacts, 'facts'>): number {
  return facts.measures.reduce((sum, measures) => sum + Object.keys(measures).length, 0);
}
