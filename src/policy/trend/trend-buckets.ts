import type { Metric } from '../rules/metrics.js';
import { figuresOf, type TrendMinute } from '../windows/trend-minute.js';

/** The values of one metric in one minute, or in ten. */
export interface TrendBucket {
  /** The first minute, since the epoch. */
  readonly minute: number;
  /** Length in minutes. */
  readonly length: 1 | 10;
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

const HOUR = 60;
const DAY = 24 * HOUR;
/** The clock of another node may be a little ahead. Later minutes were kept before the clock was set back. */
const AHEAD = 1;

/** Returns the buckets of one metric in these minutes. */
export function bucketsOf(minutes: readonly TrendMinute[], metric: Metric): readonly TrendBucket[] {
  return minutes.flatMap((one): readonly TrendBucket[] => {
    const figures = figuresOf(one, metric);
    if (figures === undefined) return [];
    const { count, mean, min, max } = figures;
    return [{ minute: one.figures[0]!, length: 1, count, mean: within(mean, min, max), min, max }];
  });
}

/**
 * Returns what is kept of buckets at `now`, minutes since the epoch, oldest first: minutes of the last hour, and tens of
 * minutes of the last day. A ten is merged once all of it is older than an hour. Buckets of one time become one.
 */
export function kept(buckets: readonly TrendBucket[], now: number): readonly TrendBucket[] {
  const oldest = tenOf(now - DAY);
  const oldestMinute = tenOf(now - HOUR);
  const all = new Map<string, TrendBucket>();
  for (const bucket of buckets) {
    if (bucket.minute < oldest || bucket.minute > now + AHEAD) continue;
    const isTen = bucket.length === 10 || bucket.minute < oldestMinute;
    const placed: TrendBucket = isTen ? { ...bucket, minute: tenOf(bucket.minute), length: 10 } : bucket;
    const key = `${placed.length} ${placed.minute}`;
    const known = all.get(key);
    all.set(key, known === undefined ? placed : merged(known, placed));
  }
  return [...all.values()].toSorted((a, b) => a.minute - b.minute);
}

function merged(a: TrendBucket, b: TrendBucket): TrendBucket {
  const count = a.count + b.count;
  const min = Math.min(a.min, b.min);
  const max = Math.max(a.max, b.max);
  const mean = within(a.mean * (a.count / count) + b.mean * (b.count / count), min, max);
  return { minute: a.minute, length: a.length, count, mean, min, max };
}

function tenOf(minute: number): number {
  return minute - (minute % 10);
}

/** A mean may leave the range of its values by the last binary digit. */
function within(mean: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, mean));
}
