import { createContext } from 'preact';
import type { ShownBucket, Trend } from '../../../../src/policy/trend/shapes.js';
import { isoOf } from '../../../../src/system/iso.js';
import type { PastFact } from './past-facts.js';

/** What is known of the measurements of a server in some time: the means of its watched metrics. */
export interface Past {
  /** The time that it covers, in words. */
  readonly span: string;
  /** The time of one mean, in words. */
  readonly of: string;
  /** Oldest first. */
  readonly facts: readonly PastFact[];
  /** The number of means that stand for a full window: each is of several values. */
  readonly windowsize: number;
  /** The number of values that a mean stands for, as a rule. */
  readonly values: number;
  /** Pause between means that empties a window, s. */
  readonly gap: number;
}

/** The last hour by minute, and the last day by ten minutes. Those without a mean are left out. */
export type PastByName = Readonly<Partial<Record<'hour' | 'day', Past>>>;

/** Given to forms on the page of a server. Empty elsewhere. */
export const PastOfServer = createContext<PastByName>({});

/** A pause of more than so many buckets empties a window. */
const GAP = 5;

/** Returns what trends know of the past. `windowsize`: number of values of a full window. */
export function pastOf(trends: readonly Trend[], windowsize: number): PastByName {
  const hour = pastIn(trends, 60, windowsize);
  const day = pastIn(trends, 600, windowsize);
  return {
    ...(hour.facts.length > 0 && { hour: { ...hour, span: 'last hour', of: 'minute' } }),
    ...(day.facts.length > 0 && { day: { ...day, span: 'last day', of: 'ten minutes' } }),
  };
}

/** Returns the means of buckets of so many seconds; the last hour has no longer ones, and is joined for these. */
function pastIn(trends: readonly Trend[], seconds: number, windowsize: number) {
  const rows = new Map<number, Record<string, number>>();
  const counts: number[] = [];
  for (const { metric, buckets } of trends) {
    for (const [start, { count, mean }] of joined(buckets, seconds)) {
      const row = rows.get(start) ?? {};
      row[metric] = mean;
      rows.set(start, row);
      counts.push(count);
    }
  }
  const facts = [...rows]
    .toSorted(([a], [b]) => a - b)
    .map(([start, row]): PastFact => ({ ...row, at: isoOf(start) }));
  const sorted = counts.toSorted((a, b) => a - b);
  const usual = sorted[Math.floor(sorted.length / 2)] ?? 1;
  const own = Math.max(1, Math.round(windowsize / usual));
  return { facts, windowsize: own, values: usual, gap: GAP * seconds };
}

function joined(buckets: readonly ShownBucket[], seconds: number) {
  const all = new Map<number, { readonly count: number; readonly mean: number }>();
  for (const bucket of buckets) {
    if (bucket.seconds > seconds) continue;
    const time = Date.parse(bucket.at);
    const start = time - (time % (seconds * 1_000));
    const { count, mean } = all.get(start) ?? { count: 0, mean: 0 };
    const sum = count + bucket.count;
    all.set(start, { count: sum, mean: (mean * count + bucket.mean * bucket.count) / sum });
  }
  return all;
}

/** Returns the means of some metrics. Throws an `Error` if there is none. */
export function factsOfServer({ facts, span }: Past, metrics: readonly string[]): readonly PastFact[] {
  const measured = facts.flatMap(({ at, ...values }): readonly PastFact[] => {
    const own = Object.entries(values).filter(([metric]) => metrics.includes(metric));
    return own.length === 0 ? [] : [{ ...Object.fromEntries(own), at }];
  });
  if (measured.length > 0) return measured;
  const names = metrics.join(', ') || 'a metric';
  throw new Error(
    `There is no value of ${names} in the ${span}: only metrics that a subscribed rule reads are kept.`,
  );
}
