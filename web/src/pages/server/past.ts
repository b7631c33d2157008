import type { TransitionView } from '../../../../src/policy/explain/shapes.js';
import type { ShownBucket } from '../../../../src/policy/trend/shapes.js';

/** How much of the past a chart shows. */
export type Span = 'hour' | 'day';

/** Length of a span, and of a bucket in it, ms. */
export const SPANS: Readonly<Record<Span, { readonly length: number; readonly step: number }>> = {
  hour: { length: 3_600_000, step: 60_000 },
  day: { length: 86_400_000, step: 600_000 },
};

/** A bucket in ms since the epoch. */
export interface PastBucket extends Omit<ShownBucket, 'at' | 'seconds'> {
  readonly from: number;
  readonly to: number;
}

/** Returns the buckets of a span before `now`, oldest first, those of a day in tens of minutes. */
export function bucketsOf(buckets: readonly ShownBucket[], span: Span, now: number): readonly PastBucket[] {
  const { length, step } = SPANS[span];
  const byStart = new Map<number, PastBucket>();
  for (const { at, seconds, count, mean, min, max } of buckets) {
    const start = Date.parse(at);
    const from = span === 'hour' ? start : start - (start % step);
    const to = span === 'hour' ? start + seconds * 1_000 : from + step;
    if (to <= now - length) continue;
    const known = byStart.get(from);
    byStart.set(
      from,
      known === undefined
        ? { from, to, count, mean, min, max }
        : joined(known, { from, to, count, mean, min, max }),
    );
  }
  return [...byStart.values()];
}

function joined(a: PastBucket, b: PastBucket): PastBucket {
  const count = a.count + b.count;
  const mean = (a.mean * a.count + b.mean * b.count) / count;
  return { from: a.from, to: a.to, count, mean, min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** The usual time from one bucket to the next, ms: the median. At least a step. */
export function usualPause(buckets: readonly PastBucket[], step: number): number {
  const pauses = buckets.slice(1).map(({ from }, i) => from - buckets[i]!.from);
  const sorted = pauses.toSorted((a, b) => a - b);
  return Math.max(step, sorted[Math.floor(sorted.length / 2)] ?? step);
}

/** Points of a chart: times in s since the epoch, and the figures there. null: a gap. */
export type Points = readonly [
  times: number[],
  means: (number | null)[],
  least: (number | null)[],
  most: (number | null)[],
];

/** A pause of so many usual ones is a gap in the line. */
const GAP = 2.5;

/** Returns the points of buckets, each in the middle of its time. */
export function pointsOf(buckets: readonly PastBucket[], step: number, now: number): Points {
  const points: Points = [[], [], [], []];
  const add = (time: number, mean: number | null, min: number | null, max: number | null): void => {
    points[0].push(time / 1_000);
    points[1].push(mean);
    points[2].push(min);
    points[3].push(max);
  };
  const longest = GAP * usualPause(buckets, step);
  for (const [i, { from, to, mean, min, max }] of buckets.entries()) {
    const before = buckets[i - 1];
    if (before !== undefined && from - before.from > longest) add((before.to + from) / 2, null, null, null);
    add(Math.min((from + to) / 2, Math.max(now, from)), mean, min, max);
  }
  return points;
}

/** True if no value has come for much longer than usual. `last`: when the last one came, ms since the epoch. */
export function isStale(last: number, usual: number, now: number): boolean {
  return now - last > Math.max(2 * 60_000, 3 * usual);
}

/** A time in which a subscription fired, ms since the epoch. */
export interface FiringTime {
  readonly ruleId: string;
  /** -Infinity: before the known history. */
  readonly from: number;
  /** undefined: it still fires. */
  readonly to: number | undefined;
}

/** A subscription that fires now, and since when. */
export interface FiringNow {
  readonly subscriptionId: string;
  readonly ruleId: string;
  readonly since: number;
}

/** Returns when subscriptions fired, in the order of their ends. `history`: newest first. */
export function firingTimes(
  history: readonly TransitionView[],
  firing: readonly FiringNow[],
): readonly FiringTime[] {
  const begun = new Map<string, number>();
  const times: FiringTime[] = [];
  for (const { at, ruleId, subscriptionId, from, to } of history.toReversed()) {
    if (to === 'firing') begun.set(subscriptionId, Date.parse(at));
    if (from !== 'firing') continue;
    times.push({ ruleId, from: begun.get(subscriptionId) ?? -Infinity, to: Date.parse(at) });
    begun.delete(subscriptionId);
  }
  // The history of a subscription that ended while it fired has no end.
  for (const { subscriptionId, ruleId, since } of firing)
    times.push({ ruleId, from: begun.get(subscriptionId) ?? since, to: undefined });
  return times;
}
