import { createHash } from 'node:crypto';
import { metricsOf } from '../rules/condition.js';
import type { Condition } from '../rules/condition.js';

/**
 * The state of a subscription: `filling` without an evaluation of the present windows, `calm` if its condition did not hold
 * in the last evaluation, `firing` if it held.
 */
export type WatchState = 'filling' | 'calm' | 'firing';

/** The memory of a server of the evaluations of one subscription. */
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

/** The last firing with messages. */
export interface LastFiring {
  /** ms since the epoch. */
  readonly at: number;
  readonly factId: number;
}

/**
 * A watch as a server stores it. Every fact writes all watches of its server, and most are of calm subscriptions that never
 * fired: such a watch is its `condition` alone. null: the subscription was never evaluated.
 */
export type StoredWatch = Watch | string | null;

/** In the order of a server's subscriptions. One beyond the end was never evaluated. */
export type Watches = readonly StoredWatch[];

/** Returns a watch that was stored; undefined if the subscription was never evaluated. */
export function watchOf(stored: StoredWatch | undefined): Watch | undefined {
  return typeof stored === 'string'
    ? { state: 'calm', firings: 0, condition: stored }
    : (stored ?? undefined);
}

/** Returns a watch as it is stored. */
export function storedWatch(watch: Watch): StoredWatch {
  const { state, firings, last, condition } = watch;
  return state === 'calm' && firings === 0 && last === undefined ? condition : watch;
}

/** True if a subscription is firing. */
export function isFiring(stored: StoredWatch): boolean {
  return typeof stored === 'object' && stored?.state === 'firing';
}

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

/** Characters of a key, 6 bits each: enough to tell the conditions that one rule has had. */
const KEY_LENGTH = 6;
const keys = new WeakMap<Condition, string>();

/** Returns a short text that equal conditions share, whatever the order of their members. */
export function conditionKey(condition: Condition): string {
  const known = keys.get(condition);
  if (known !== undefined) return known;
  const ordered = metricsOf(condition).map((metric) => {
    const { operand, value } = condition[metric]!;
    return [metric, operand, value];
  });
  const key = createHash('sha256').update(JSON.stringify(ordered)).digest('base64url').slice(0, KEY_LENGTH);
  keys.set(condition, key);
  return key;
}

const texts = new WeakMap<Watches, string>();

/** Returns the text of `JSON.stringify(watches)`. Most facts change no watch: the text is made once. */
export function watchesText(watches: Watches): string {
  let text = texts.get(watches);
  if (text === undefined) texts.set(watches, (text = JSON.stringify(watches)));
  return text;
}
