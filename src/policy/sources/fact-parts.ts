import { deserialize, serialize } from 'node:v8';
import type { Facts } from '../facts/facts.js';
import type { ServerFacts } from '../server/facts-by-entity.js';
import type { SourceFacts } from './source-facts.js';

/**
 * Maximum number of facts of a part. A body may have tens of thousands, and what a thread has read is copied, and then taken,
 * on the event loop: part by part, so that no body holds it for long.
 */
const PART = 500;

/** Divides the facts of one request into parts, each in bytes. A server with more facts than a part can have is in several. */
export function packedParts({ servers, leftOut }: SourceFacts): readonly Uint8Array[] {
  const parts: ServerFacts[][] = [[]];
  let room = PART;
  for (const server of servers) {
    const { length } = server.facts.measures;
    for (let from = 0; from < length;) {
      // One commit for the facts of a server, if a part can hold them.
      if (room === 0 || (from === 0 && room < length && length <= PART)) {
        parts.push([]);
        room = PART;
      }
      const to = Math.min(length, from + room);
      parts
        .at(-1)!
        .push(to - from === length ? server : { ...server, facts: factsPart(server.facts, from, to) });
      room -= to - from;
      from = to;
    }
  }
  return parts.map((part, i) => {
    const values = part.reduce((sum, server) => sum + valuesOf(server), 0);
    const packed: SourceFacts = { servers: part, values, leftOut: i === 0 ? leftOut : [] };
    return serialize(packed);
  });
}

/** Yields the parts as they are asked for. */
export function* unpackedParts(parts: readonly Uint8Array[]): Generator<SourceFacts> {
  for (const part of parts) yield deserialize(part) as SourceFacts;
}

/** Returns the facts from one index to another. */
export function factsPart({ measures, times, ...rest }: Facts, from: number, to: number): Facts {
  const part = { ...rest, measures: measures.slice(from, to) };
  return times === undefined ? part : { ...part, times: times.slice(from, to) };
}

/** Returns the number of values in the facts of a server. */
export function valuesOf({ facts }: Pick<ServerFacts, 'facts'>): number {
  return facts.measures.reduce((sum, measures) => sum + Object.keys(measures).length, 0);
}
