import { comparisonsOf, conditionHolds, holdingPlaces, isDocumented, measuresOf } from './plain-condition.js';
import type { PlainCondition, PlainMessage, PlainRule, PlainSummary } from './story.js';

/** What the model remembers of a subscription. */
export interface PlainSubscription {
  readonly id: string;
  readonly rule: string;
  /** ms since the epoch, as all times here. */
  readonly madeAt: number;
  /** What the last evaluation said. `never` again once a window of the condition is not full. */
  evaluated: 'never' | 'holds' | 'holds not';
  /** Places of the comparisons that held at the last evaluation. */
  held: Set<string>;
  /** The time in which the condition holds, from the first evaluation that held. */
  period: { readonly since: number; fired: boolean; sent: boolean } | undefined;
  /** Time of the last firing, sent or not. */
  firedAt: number;
  /** No fact came since the last noData message. */
  silent: boolean;
  /** Time of the last fact that the last noData message names: 0 if none ever came. -1: facts came since that message. */
  toldSince: number;
  /** ms since the epoch. 0: not muted. */
  mutedUntil: number;
  evaluations: number;
  firings: number;
  unsent: number;
  /** Sum of the periods that are over, ms. */
  endedMs: number;
  /** Whether `for` was over at the last evaluation. */
  waited: boolean;
}

/** Makes a subscription. */
export function subscriptionOf(id: string, rule: string, madeAt: number): PlainSubscription {
  return {
    id,
    rule,
    madeAt,
    evaluated: 'never',
    held: new Set(),
    period: undefined,
    firedAt: 0,
    silent: false,
    toldSince: -1,
    mutedUntil: 0,
    evaluations: 0,
    firings: 0,
    unsent: 0,
    endedMs: 0,
    waited: false,
  };
}

/** Evaluates the rule of a subscription on full windows ("When a rule speaks"). */
export function evaluate(
  one: PlainSubscription,
  rule: PlainRule,
  windows: ReadonlyMap<string, readonly number[]>,
  { at, fact, messages }: { readonly at: number; readonly fact: number; readonly messages: PlainMessage[] },
): void {
  one.evaluations += 1;
  one.held = holdingPlaces(rule.condition, windows, one.held);
  const holds = conditionHolds(rule.condition, one.held);
  one.evaluated = holds ? 'holds' : 'holds not';
  const measures = measuresOf(rule.condition, windows);

  if (!holds) {
    const over = one.period;
    one.period = undefined;
    if (over === undefined) return;
    one.endedMs += at - over.since;
    if (over.sent && rule.resolve === true) {
      say(one, rule, { at, state: 'resolved', fact, since: over.since, measures }, messages);
    }
    return;
  }

  one.period ??= { since: at, fired: false, sent: false };
  const { period } = one;
  one.waited = at - period.since >= (rule.for ?? 0) * 1_000;
  if (!one.waited) return;
  if (period.fired && rule.repeat === 0) return;
  if (period.fired && rule.repeat !== undefined && at - one.firedAt < rule.repeat * 1_000) return;
  period.fired = true;
  one.firedAt = at;
  if (say(one, rule, { at, state: 'firing', fact, since: period.since, measures }, messages))
    period.sent = true;
}

/** Sends a message, unless the subscription is muted. Returns whether it was sent. */
export function say(
  one: PlainSubscription,
  { condition, ...members }: PlainRule,
  message: Omit<PlainMessage, 'subscription' | 'isStated'>,
  messages: PlainMessage[],
): boolean {
  if (message.at < one.mutedUntil) {
    one.unsent += 1;
    return false;
  }
  if (message.state === 'firing') one.firings += 1;
  const isStated = Object.keys(members).length > 0 || !isDocumented(condition);
  messages.push({ subscription: one.id, ...message, isStated });
  return true;
}

/**
 * Returns when the noData message of a subscription is due: Infinity without one. `last`: the last fact of its metrics, of
 * which it is said once.
 */
export function noDataDue(one: PlainSubscription, rule: PlainRule, last: number | null): number {
  if (rule.noData === undefined || one.toldSince === (last ?? 0)) return Infinity;
  return (last ?? one.madeAt) + rule.noData * 1_000;
}

/** Returns the places of a condition's comparisons of one metric. */
export function aloneFor(condition: PlainCondition, metric: string): string[] {
  return comparisonsOf(condition)
    .filter((one) => one.metric === metric)
    .map(({ place }) => place);
}

/** Returns what is known of a subscription. `lastFactAt`: time of the story's last fact. */
export function summaryOf(one: PlainSubscription, lastFactAt: number): PlainSummary {
  const { evaluations, firings, unsent } = one;
  const open = one.period === undefined ? 0 : lastFactAt - one.period.since;
  return { state: stateOf(one), evaluations, firings, unsent, heldMs: one.endedMs + open };
}

function stateOf(one: PlainSubscription): PlainSummary['state'] {
  if (one.silent) return 'noData';
  if (one.evaluated === 'never') return 'filling';
  if (one.evaluated === 'holds not') return 'calm';
  return one.waited ? 'firing' : 'pending';
}
