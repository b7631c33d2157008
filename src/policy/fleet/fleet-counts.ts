import { SERVER_STATES } from '../server/server-machine.js';
import {
  COUNT_LETTER,
  MARKS,
  standingOfTag,
  STATE_LETTER,
  subscriptionsOfTag,
} from '../server/server-place.js';
import type { ReadTally } from './kept-tallies.js';
import type { FleetCounts, FleetMarks } from './shapes.js';

/** Returns how many servers of a tenant are in which state; undefined: of all tenants. */
export async function countFleet(tally: ReadTally, tenant: string | undefined): Promise<FleetCounts> {
  const states = SERVER_STATES.map((state) => ({
    state,
    counts: { servers: 0, muted: 0, suspended: 0, acknowledged: 0 },
  }));
  let inTrouble = 0;
  for (const { tag, count } of await tally({ asked: tenant, tenant, prefix: STATE_LETTER })) {
    const { rank, marks } = standingOfTag(tag);
    const { counts } = states[rank]!;
    counts.servers += count;
    for (const mark of ['muted', 'suspended', 'acknowledged'] satisfies (keyof FleetMarks)[]) {
      if ((marks & MARKS[mark]) !== 0) counts[mark] += count;
    }
    if ((marks & MARKS.inTrouble) !== 0) inTrouble += count;
  }
  const byState = states.map(({ state, counts }) => [state, counts]);
  return { states: Object.fromEntries(byState) as FleetCounts['states'], inTrouble };
}

/** Returns the sum of the servers of all states. */
export function serversIn({ states }: Pick<FleetCounts, 'states'>): number {
  return Object.values(states).reduce((sum, { servers }) => sum + servers, 0);
}

/** Returns how many subscriptions the servers of a tenant have. */
export async function countSubscriptions(tally: ReadTally, tenant: string): Promise<number> {
  let subscriptions = 0;
  for (const { tag, count } of await tally({ asked: tenant, tenant, prefix: COUNT_LETTER }))
    subscriptions += subscriptionsOfTag(tag) * count;
  return subscriptions;
}
