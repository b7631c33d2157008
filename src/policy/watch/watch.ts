import { createHash } from 'node:crypto';
import { metricsOf } from '../rules/condition.js';
import type { Condition } from '../rules/condition.js';

/**
 * The state of a subscription: `filling` without an evaluation of the present windows, `calm` if its condition did not hold
 * in the last evaluation, `firing` if it held.
 */
export type WatchState = 'filling' | 'calm' | 'firing';

/** What a server remembers of the evaluations of one subscription. */
export interface Watch {
  readonly state: WatchState;
  /**
   * Begin of the period in which the condition holds, ms since the epoch. A period outlasts `filling`: the first evaluation
   * after it decides whether the period is over.
   */
  readonly since?: number | undefined;
  /** Number of firings with messages. */
  readonly firings: number;
  /** The last of these firings. */
  readonly last?: LastFiring | undefined;
  /** `conditionKey` of the evaluated condition. Another key means that nothing here is about the present condition. */
  readonly condition: string;
}

export interface LastFiring {
  /** ms since the epoch. */
  readonly at: number;
  readonly factId: number;
}

/** By id of a subscription. A subscription without an entry was never evaluated: its state is `filling`. */
export type Watches = Readonly<Record<string, Watch>>;

/** A change of the state of one subscription. */
export interface Transition {
  /** ms since the epoch. */
  readonly at: number;
  readonly ruleId: string;
  readonly subscriptionId: string;
  readonly from: WatchState;
  readonly to: WatchState;
  /** The sentence that explained the new state at that time. */
  readonly sentence: string;
  /** The fact that caused the transition; null if none did. */
  readonly factId: number | null;
}

const keys = new WeakMap<Condition, string>();

/** Returns a short text that equal conditions share, whatever the order of their members. */
export function conditionKey(condition: Condition): string {
  const known = keys.get(condition);
  if (known !== undefined) return known;
  const ordered = metricsOf(condition).map((metric) => {
    const { operand, value } = condition[metric]!;
    return [metric, operand, value];
  });
  const key = createHash('sha256').update(JSON.stringify(ordered)).digest('base64url').slice(0, 10);
  keys.set(condition, key);
  return key;
}

const firing = new WeakMap<Watches, boolean>();

/** True if a subscription is `firing`. Found once for each map: most facts change none. */
export function isAnyFiring(watches: Watches | undefined): boolean {
  if (watches === undefined) return false;
  const known = firing.get(watches);
  if (known !== undefined) return known;
  const found = Object.values(watches).some(({ state }) => state === 'firing');
  firing.set(watches, found);
  return found;
}

const texts = new WeakMap<Watches, string>();
const watchTexts = new WeakMap<Watch, string>();

/** Returns the text of `JSON.stringify(watches)`. Most facts change no watch: the text of each object is made once. */
export function watchesText(watches: Watches): string {
  const known = texts.get(watches);
  if (known !== undefined) return known;
  const members = Object.entries(watches).map(([id, watch]) => `${JSON.stringify(id)}:${watchText(watch)}`);
  const text = `{${members.join(',')}}`;
  texts.set(watches, text);
  return text;
}

function watchText(watch: Watch): string {
  const known = watchTexts.get(watch);
  if (known !== undefined) return known;
  const text = JSON.stringify(watch);
  watchTexts.set(watch, text);
  return text;
}
