import type { Refusal } from '../../errors.js';
import type { FactsReply } from '../server/server-context.js';
import type { Servers } from '../server/servers.js';
import { factsPart } from './fact-parts.js';

/**
 * Makes `facts` of servers that takes in parts what is refused as too large for one commit. Parts follow one another, and none
 * follows one that failed: its values would be older than those that came after them.
 */
export function inParts(facts: Servers['facts'], refusalOf: (error: unknown) => Refusal): Servers['facts'] {
  const take: Servers['facts'] = async (tenantId, serverId, all, trace) => {
    try {
      return await facts(tenantId, serverId, all, trace);
    } catch (error) {
      const { length } = all.measures;
      if (length < 2 || refusalOf(error).code !== 'too-large') throw error;
      const half = Math.ceil(length / 2);
      const first = await take(tenantId, serverId, factsPart(all, 0, half), trace);
      const second = await take(tenantId, serverId, factsPart(all, half, length), trace);
      return merged([first, half], [second, length - half]);
    }
  };
  return take;
}

/** A reply, and the number of the measurements that it is about. */
type Replied = readonly [reply: FactsReply, measurements: number];

function merged([first, before]: Replied, [second, after]: Replied): FactsReply {
  const ignored = [...(first.ignored ?? []), ...(second.ignored ?? [])];
  return {
    factId: second.factId,
    counted: first.counted || second.counted,
    leftOut: leftOutOf(first, before) + leftOutOf(second, after),
    ...(ignored.length === 0 ? {} : { ignored }),
    evaluated: first.evaluated + second.evaluated,
    fired: first.fired + second.fired,
  };
}

function leftOutOf({ counted, leftOut = 0 }: FactsReply, measurements: number): number {
  return counted ? leftOut : measurements;
}
