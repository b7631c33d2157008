import type { Place } from '../../store/port.js';
import { sortableTime } from '../../store/sortable-time.js';
import {
  ackOf,
  STATE_NAMES,
  stateFrom,
  stateName,
  type StateName,
  type StoredState,
} from '../state/subscription-state.js';
import type { Subscription } from '../state/subscription.js';
import type { ServerContext } from './server-context.js';
import { SERVER_STATES, type ServerState } from './server-machine.js';

/** The members of the context that `placeOf` reads. */
export const PLACE_FOLLOWS: readonly (keyof ServerContext)[] = ['states', 'subscriptions', 'rules'];

type Placed = Pick<ServerContext, 'states' | 'subscriptions' | 'rules'>;

/** A subscription of a server, and since when it is in its state. */
interface Standing {
  /** Its place among the subscriptions of the server. */
  readonly index: number;
  readonly state: ServerState;
  /**
   * ms since the epoch: the start of the period in which the condition holds, in `noData` the last measurement, 0 if there was
   * none; undefined in any other state.
   */
  readonly since: number | undefined;
}

/**
 * Returns the worst subscription of a server: by its state, then by the severity of its rule, then the one that has been in that
 * state for longest. undefined without subscriptions.
 */
export function worstOf({ states, subscriptions }: Placed): Standing | undefined {
  let worst: Standing | undefined;
  for (let index = 0; index < subscriptions.length; index += 1) {
    const state = stateName(states[index]);
    const rank = worst === undefined ? -1 : SERVER_STATES.indexOf(state) - SERVER_STATES.indexOf(worst.state);
    if (rank > 0) continue;
    const one: Standing = { index, state, since: sinceOf(states[index]) };
    if (rank < 0 || isWorse(one, worst!, subscriptions)) worst = one;
  }
  return worst;
}

/** Compares two subscriptions in the same state. */
function isWorse(one: Standing, other: Standing, subscriptions: readonly Subscription[]): boolean {
  const [a, b] = [one, other].map(({ index }) => subscriptions[index]!.severity ?? Infinity) as [
    number,
    number,
  ];
  if (a !== b) return a < b;
  return (one.since ?? Infinity) < (other.since ?? Infinity);
}

function sinceOf(stored: StoredState | undefined): number | undefined {
  if (stored === undefined || stored === null || typeof stored === 'string') return undefined;
  const { state, since, noDataSince = 0 } = stored;
  if (state === 'noData') return noDataSince;
  return state === 'firing' || state === 'pending' ? (since ?? 0) : undefined;
}

/**
 * Returns the beginning of the orders of all servers in a state. The worst state sorts first; `unwatched` last. The state after
 * it in `SERVER_STATES` gives the end of the range.
 */
export function orderOfState(state: ServerState): string {
  return String(SERVER_STATES.indexOf(state));
}

/** Returns the order of a server in a state since a time, ms since the epoch. */
export function orderSince(state: ServerState, since: number): string {
  return `${orderOfState(state)}${sortableTime(since)}`;
}

/** Returns the time in an order, ms since the epoch. */
export function sinceInOrder(order: string): number {
  return Number(order.slice(1));
}

/**
 * Returns the place of a server. Its order is by state, the worst first, then by time, the longest first. A server without a time
 * has none: the store lists those in its state by id.
 */
export function placeOf(context: Placed): Place {
  const worst = worstOf(context);
  const order = worst?.since === undefined ? undefined : orderSince(worst.state, worst.since);
  return { order, tags: tagsOf(context, worst?.state ?? 'unwatched') };
}

/** Bits of the marks in a tag of a state. */
export const MARKS = { muted: 1, suspended: 2, acknowledged: 4, inTrouble: 8 } as const;

/** First letters of tags: of a server's state, of its number of subscriptions, of a rule of the tenant, of a rule of the server. */
export const STATE_LETTER = 's';
export const COUNT_LETTER = 'n';
export const GENERIC_LETTER = 'r';
export const OWN_LETTER = 'R';

/** Returns the rank of a state in `SERVER_STATES`, and the marks, in a tag of a state. */
export function standingOfTag(tag: string): { readonly rank: number; readonly marks: number } {
  return { rank: Number(tag[1]), marks: Number.parseInt(tag.slice(2), 16) };
}

/** Returns the number of subscriptions in a tag of it. */
export function subscriptionsOfTag(tag: string): number {
  return Number(tag.slice(1));
}

/** Returns what a tag of a rule says. */
export function ruleOfTag(tag: string): { readonly ruleId: string; readonly state: StateName } {
  return { ruleId: tag.slice(2), state: STATE_NAMES[Number(tag[1])]! };
}

/**
 * Returns what a server counts as, a line each. The first is `s`, the rank of its state, and its marks as one hexadecimal digit.
 * Then `n` and its number of subscriptions, unless it has none. Then one for each rule with a subscription: `r` for a rule of the tenant, `R` for one of the server, the rank of the worst state
 * of its subscriptions, and the id of the rule.
 */
function tagsOf({ states, subscriptions, rules }: Placed, worst: ServerState): string {
  const byRule = new Map<string, number>();
  let marks = 0;
  for (const [index, { ruleId, mutedUntil, suspended }] of subscriptions.entries()) {
    const current = stateFrom(states[index]);
    const state = stateName(states[index]);
    const rank = SERVER_STATES.indexOf(state);
    const isAcknowledged = current !== undefined && ackOf(current) !== undefined;
    byRule.set(ruleId, Math.min(byRule.get(ruleId) ?? rank, rank));
    if (mutedUntil !== undefined) marks |= MARKS.muted;
    if (suspended !== undefined) marks |= MARKS.suspended;
    if (isAcknowledged) marks |= MARKS.acknowledged;
    else if (state === 'firing' || state === 'noData') marks |= MARKS.inTrouble;
  }
  const own = new Set(rules.map(({ ruleId }) => ruleId));
  const ofRules = Array.from(
    byRule,
    ([ruleId, rank]) => `${own.has(ruleId) ? OWN_LETTER : GENERIC_LETTER}${rank}${ruleId}`,
  );
  const count = subscriptions.length === 0 ? [] : [`${COUNT_LETTER}${subscriptions.length}`];
  return [`${STATE_LETTER}${orderOfState(worst)}${marks.toString(16)}`, ...count, ...ofRules].join('\n');
}
