import { type Metric, ofMetric } from '../rules/metrics.js';
import type { Facts } from './facts.js';

/**
 * The facts of several servers in columns. Between two threads columns are copied in a tenth of the time of an object for each
 * measurement: a body may have 60,000 of these, and the event loop makes the copy.
 */
export interface FactColumns {
  /** The facts without their values and times, in the order of the columns. */
  readonly facts: readonly FactsHead[];
  /** The names of the metrics, each once. */
  readonly metrics: readonly Metric[];
  /** Number of the values of each measurement. */
  readonly counts: Uint32Array;
  /** For each value, the index of its metric. */
  readonly metricOf: Uint32Array;
  readonly values: Float64Array;
  /** For each value, the time that came with it, µs since the epoch; NaN for none. Absent if no value has one. */
  readonly times?: Float64Array;
}

type FactsHead = Omit<Facts, 'measures' | 'times'> & {
  /** Number of measurements. */
  readonly count: number;
  /** True if times came with values. */
  readonly isTimed: boolean;
};

/**
 * Maximum number of values of a measurement that becomes an object with a prototype. Without one it is a hash table from the
 * beginning: thousands of new names would make as many hidden classes.
 */
const WIDEST_OBJECT = 16;

/** Returns facts in columns. */
export function columnsOf(all: readonly Facts[]): FactColumns {
  const indexes = new Map<Metric, number>();
  const facts: FactsHead[] = [];
  const counts: number[] = [];
  const metricOf: number[] = [];
  const values: number[] = [];
  const times: number[] = [];
  for (const { measures, times: timesOf, ...rest } of all) {
    facts.push({ ...rest, count: measures.length, isTimed: timesOf !== undefined });
    for (const [i, one] of measures.entries()) {
      const before = values.length;
      const given = timesOf?.[i];
      for (const metric in one) {
        let index = indexes.get(metric);
        if (index === undefined) indexes.set(metric, (index = indexes.size));
        metricOf.push(index);
        values.push(one[metric]!);
        times.push((given && ofMetric(given, metric)) ?? Number.NaN);
      }
      counts.push(values.length - before);
    }
  }
  return {
    facts,
    metrics: [...indexes.keys()],
    counts: Uint32Array.from(counts),
    metricOf: Uint32Array.from(metricOf),
    values: Float64Array.from(values),
    ...(facts.some(({ isTimed }) => isTimed) ? { times: Float64Array.from(times) } : {}),
  };
}

/** Returns the facts in columns: the reverse of `columnsOf`. */
export function factsOf({ facts, metrics, counts, metricOf, values, times }: FactColumns): readonly Facts[] {
  let measurement = 0;
  let value = 0;
  return facts.map(({ count, isTimed, ...rest }) => {
    const measures: Facts['measures'][number][] = [];
    const timesOf: (Facts['measures'][number] | undefined)[] = [];
    for (const end = measurement + count; measurement < end; measurement += 1) {
      const width = counts[measurement]!;
      const from = value;
      value += width;
      const one = emptyOf(width);
      for (let i = from; i < value; i += 1) one[metrics[metricOf[i]!]!] = values[i]!;
      measures.push(one);
      if (isTimed) timesOf.push(timesIn(from, value));
    }
    return isTimed ? { ...rest, measures, times: timesOf } : { ...rest, measures };
  });

  /** Returns the times of the values from one index to another; undefined if there are none. */
  function timesIn(from: number, to: number): Facts['measures'][number] | undefined {
    let one: Record<Metric, number> | undefined;
    for (let i = from; i < to; i += 1) {
      const time = times![i]!;
      if (!Number.isNaN(time)) (one ??= emptyOf(to - from))[metrics[metricOf[i]!]!] = time;
    }
    return one;
  }
}

function emptyOf(width: number): Record<Metric, number> {
  return width > WIDEST_OBJECT ? (Object.create(null) as Record<Metric, number>) : {};
}
