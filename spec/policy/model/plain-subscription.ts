import { comparisonsOf, conditionHolds, holdingPlaces, isDocumented, measuresOf } from './plain-condition.js';
import type { PlainCondition, PlainMessage, PlainRule, PlainSummary } from './story.js';

/** What the model remembers of a subscription. */
export interface PlainSubscription {
  readonly id: string;
  readonly rule: string;
  /** ms since the epoch, as all times here. */
  readonly madeAt: number;
  /** The state that the history has last. */
  recorded: PlainSummary['state'];
  /** What the last evaluation said. `never` again once a window of the condition is not full. */
  evaluated: 'never' | 'holds' | 'holds not';
  /** Places of the comparisons that held at the last evaluation. */
  held: Set<string>;
  /** The time in which the condition holds, from the first evaluation that held. */
  period: PlainPeriod | undefined;
  /**
   * The firings and resolved that count as sent to the receiver, oldest first. `over` after the firings of a period that
   * ended without any message being due.
   */
  sent: PlainSent[];
  /** The receiver has the firing of a period that is over. */
  owesResolved: boolean;
  /** No fact came since the last noData message. */
  lacksData: boolean;
  /** Time of the last fact that the last noData message names: 0 if none ever came. -1: facts came since that message. */
  notifiedSince: number;
  /** That message was not sent. */
  owesNoData: boolean;
  /** When somebody acknowledged the period, and noData; undefined: nobody did. */
  acknowledged: { period: number | undefined; noData: number | undefined };
  /** ms since the epoch. 0: not muted. */
  mutedUntil: number;
  /** ms since the epoch. 0: there is no quiet time. */
  quietUntil: number;
  suspended: boolean;
  evaluations: number;
  firings: number;
  unsent: number;
  /** Sum of the periods that are over, ms. */
  endedMs: number;
  /** Whether `for` was over at the last evaluation. */
  waited: boolean;
}

interface PlainPeriod {
  readonly since: number;
  /** Time of the last firing of it, sent or not. */
  firedAt: number | undefined;
}

interface PlainSent {
  readonly state: 'firing' | 'resolved' | 'over';
  readonly since: number;
  readonly at: number;
  readonly fact: number;
}

/** Makes a subscription. */
export function subscriptionOf(id: string, rule: string, madeAt: number): PlainSubscription {
  return {
    id,
    rule,
    madeAt,
    recorded: 'filling',
    evaluated: 'never',
    held: new Set(),
    period: undefined,
    sent: [],
    owesResolved: false,
    lacksData: false,
    notifiedSince: -1,
    owesNoData: false,
    acknowledged: { period: undefined, noData: undefined },
    mutedUntil: 0,
    quietUntil: 0,
    suspended: false,
    evaluations: 0,
    firings: 0,
    unsent: 0,
    endedMs: 0,
    waited: false,
  };
}

/** Forgets what the condition of before made: the rule has another one. */
export function startAnew(one: PlainSubscription): void {
  one.evaluated = 'never';
  one.lacksData = false;
  one.held = new Set();
  one.period = undefined;
  one.sent = [];
  one.owesResolved = false;
  one.acknowledged = { period: undefined, noData: undefined };
}

/** Evaluates the rule of a subscription on full windows ("When a rule notifies"). */
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
  if (one.owesResolved && rule.resolve !== true) settle(one, at, fact);
  const last = one.sent.at(-1);
  const known = last?.state === 'firing' ? last : undefined;

  if (!holds) {
    const over = one.period;
    one.period = undefined;
    one.acknowledged.period = undefined;
    if (over !== undefined) one.endedMs += at - over.since;
    if (known === undefined) return;
    if (rule.resolve !== true) return settle(one, at, fact);
    if (!isHeard(one, at) && one.owesResolved) return;
    const notified = { at, state: 'resolved', fact, since: known.since } as const;
    one.owesResolved = !say(one, rule, { ...notified, measures }, messages);
    if (!one.owesResolved) one.sent.push(notified);
    return;
  }

  one.period ??= { since: at, firedAt: undefined };
  const { period } = one;
  one.waited = at - period.since >= (rule.for ?? 0) * 1_000;
  if (!one.waited) return;
  if (!isHeard(one, at)) {
    if (!isTime(one, rule, at, period.firedAt)) return;
    period.firedAt = at;
    say(one, rule, { at, state: 'firing', fact, since: period.since, measures }, messages);
    return;
  }
  // The receiver takes the new period for the one that it knows.
  if (known !== undefined) one.period = { since: known.since, firedAt: known.at };
  one.owesResolved = false;
  if (!isTime(one, rule, at, known?.at)) return;
  const { since } = one.period;
  one.period.firedAt = at;
  say(one, rule, { at, state: 'firing', fact, since, measures }, messages);
  one.sent.push({ at, state: 'firing', fact, since });
}

/** Of an acknowledged period only the first firing is sent. */
function isTime(
  { acknowledged }: PlainSubscription,
  { repeat }: PlainRule,
  at: number,
  before: number | undefined,
): boolean {
  if (before === undefined) return true;
  if (acknowledged.period !== undefined) return false;
  if (repeat === undefined) return true;
  return repeat > 0 && at - before >= repeat * 1_000;
}

/** Nobody waits for the end of the period that the receiver knows. */
function settle(one: PlainSubscription, at: number, fact: number): void {
  one.owesResolved = false;
  one.sent.push({ state: 'over', since: at, at, fact });
}

/** The receiver refused a message, which suspends the subscription: it was not sent. `fact`: null for noData of `since`. */
export function refuse(one: PlainSubscription, fact: number | null, since: number | null): void {
  if (one.suspended) return;
  one.suspended = true;
  if (fact === null) {
    if (one.notifiedSince === (since ?? 0)) one.owesNoData = true;
    return;
  }
  const refused = one.sent.find((sent) => sent.fact === fact && sent.state !== 'over');
  if (refused === undefined) return;
  const isLast = one.sent.at(-1) === refused;
  one.sent = one.sent.filter((sent) => sent !== refused);
  if (isLast && refused.state === 'firing' && one.period !== undefined && !one.owesResolved) {
    one.period.firedAt = refused.at;
  }
  const last = one.sent.at(-1)?.state;
  if (isLast && refused.state === 'resolved') one.owesResolved = last === 'firing';
  if (last !== 'firing') one.owesResolved = false;
}

/** Somebody acknowledges the state that the history has last, or takes that back (`at`: undefined). */
export function acknowledge(one: PlainSubscription, at: number | undefined): void {
  if (at !== undefined && (one.recorded === 'filling' || one.recorded === 'calm')) return;
  one.acknowledged[one.recorded === 'noData' ? 'noData' : 'period'] = at;
}

/** Whether messages of a subscription are sent. */
function isHeard(one: PlainSubscription, at: number): boolean {
  return at >= one.mutedUntil && at >= one.quietUntil && !one.suspended;
}

/** Sends a message, unless the subscription is muted or suspended. Returns whether it was sent. */
export function say(
  one: PlainSubscription,
  { condition, ...members }: PlainRule,
  message: Omit<PlainMessage, 'subscription' | 'isStated'>,
  messages: PlainMessage[],
): boolean {
  if (!isHeard(one, message.at)) {
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
 * which it notifies once. One that was not sent is due once the subscription is heard.
 */
export function noDataDue(one: PlainSubscription, rule: PlainRule, last: number | null): number {
  if (rule.noData === undefined) return Infinity;
  const due = (last ?? one.madeAt) + rule.noData * 1_000;
  if (one.notifiedSince !== (last ?? 0)) return due;
  return one.owesNoData && !one.suspended ? Math.max(due, one.mutedUntil, one.quietUntil) : Infinity;
}

/** Returns the places of a condition's comparisons of one metric. */
export function aloneFor(condition: PlainCondition, metric: string): string[] {
  return comparisonsOf(condition)
    .filter((one) => one.metric === metric)
    .map(({ place }) => place);
}

/**
 * Returns what is known of a subscription. `lastFactAt`: time of the story's last fact; `last`: that of a fact of its
 * metrics.
 */
export function summaryOf(one: PlainSubscription, lastFactAt: number, last: number | null): PlainSummary {
  const { evaluations, firings, unsent, suspended, period } = one;
  const open = period === undefined ? 0 : lastFactAt - period.since;
  const state = stateOf(one);
  const holds = state === 'firing' || state === 'pending';
  const since = state === 'noData' ? last : holds ? period!.since : null;
  const acknowledgedAt = one.acknowledged[state === 'noData' ? 'noData' : 'period'] ?? null;
  const heldMs = one.endedMs + open;
  return { state, since, suspended, acknowledgedAt, evaluations, firings, unsent, heldMs };
}

/** Returns the state of a subscription as explain says it. */
export function stateOf(one: PlainSubscription): PlainSummary['state'] {
  if (one.lacksData) return 'noData';
  if (one.evaluated === 'never') return 'filling';
  if (one.evaluated === 'holds not') return 'calm';
  return one.waited ? 'firing' : 'pending';
}
