import { deserialize, serialize } from 'node:v8';
import { columnsOf, type FactColumns, factsOf } from '../facts/fact-columns.js';
import type { Facts } from '../facts/facts.js';
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
    return serialize({ ...packed(part), values, leftOut: i === 0 ? leftOut : [] } satisfies PackedPart);
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
    parts.at(-1)!.push(server);
  }
  return parts.map((part) => serialize(packed(part)));
}

/** Yields the servers of the parts. A part is read when the first of its servers is asked for. */
export function* unpackedServers(parts: readonly Uint8Array[]): Generator<ServerFacts> {
  for (const part of parts) yield* unpacked(deserialize(part) as PackedServers);
}

/** Servers whose facts are in columns, in the order of the servers. */
interface PackedServers {
  readonly servers: readonly Omit<ServerFacts, 'facts'>[];
  readonly columns: FactColumns;
}

type PackedPart = Omit<SourceFacts, 'servers'> & PackedServers;

function packed(part: readonly ServerFacts[]): PackedServers {
  return {
    servers: part.map(({ serverId, indexes }) => ({ serverId, indexes })),
    columns: columnsOf(part.map(({ facts }) => facts)),
  };
}

function unpacked({ servers, columns }: PackedServers): readonly ServerFacts[] {
  return factsOf(columns).map((facts, i) => ({ ...servers[i]!, facts }));
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
    const { servers, columns, ...rest } = deserialize(part) as PackedPart;
    yield { ...rest, servers: unpacked({ servers, columns }) };
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
