import type { SourceName } from '../facts/facts.js';
import { type Measures, type Metric, ofMetric } from '../rules/metrics.js';
import {
  arrivalOf,
  judgedTime,
  mayLackArrivals,
  type Measurement,
  sourceTimesOf,
  type SourceTimes,
  type Windows,
} from './window.js';
import { type CountedTimes, CountingTimes, isAfter, type StaleTime } from './counted-times.js';

/** The measurements of one request. */
interface Sent {
  /** ms since the epoch. */
  readonly now: number;
  readonly measures: readonly Measures[];
  readonly times?: readonly (Measures | undefined)[] | undefined;
  readonly groups?: readonly number[] | undefined;
  readonly origin?: SourceName | undefined;
}

/** What is told of each value. */
interface ValueObserver {
  leaveOut(metric: Metric, why: StaleTime): void;
  count(metric: Metric): void;
}

/**
 * The sources whose values come in any order, from the first one on: a broker and a sender with several connections repeat
 * messages after later ones. Remote write sends the samples of a series in order, but two of its senders may have the same series.
 */
const UNORDERED: ReadonlySet<SourceName | undefined> = new Set<SourceName>(['mqtt', 'otlp']);
/** The source that sends all values of one time together, in one message. */
const WHOLE: SourceName = 'mqtt';

/** A value that counts. */
interface Judged {
  /** The source timestamps of its metric with it. */
  readonly times: SourceTimes;
  /** Number of the values before it whose times are later. */
  readonly later: number;
}

/** Judges the values of one request by their times, µs since the epoch. A time is believed up to `latest`. */
class Judge {
  readonly #known = new Map<Metric, SourceTimes>();
  readonly #counting: CountingTimes | undefined;
  readonly #lacksArrivals: boolean;

  constructor(
    private readonly windows: Windows,
    private readonly latest: number,
    private readonly origin: SourceName | undefined,
  ) {
    if (origin !== undefined || windows.counted !== undefined)
      this.#counting = new CountingTimes(timesBefore(windows, latest), UNORDERED.has(origin));
    this.#lacksArrivals = this.#counting !== undefined && mayLackArrivals(windows);
  }

  /** The counted times of the server after the request; undefined: it has none. */
  get counted(): CountedTimes | undefined {
    return this.#counting?.stored;
  }

  /** Returns what a value with a time is, or why it does not count. */
  value(metric: Metric, time: number): Judged | StaleTime {
    const before = this.#known.get(metric) ?? this.#stored(metric);
    const found = judgedTime(time, before, this.latest);
    if (typeof found !== 'string') {
      this.#known.set(metric, found);
      return { times: found, later: 0 };
    }
    if (found !== 'older' || this.#counting === undefined) return found;
    const later = this.#counting.judge(metric, time);
    return typeof later === 'string' ? later : { times: sourceTimesOf(before), later };
  }

  /** Returns the stored source timestamps of a metric. One that is not stored any more is that of the counted times. */
  #stored(metric: Metric): SourceTimes {
    const stored = arrivalOf(this.windows, metric);
    if (!this.#lacksArrivals || stored.sourceTime !== undefined) return stored;
    const counting = this.#counting!;
    // Other sources send the values of one time in several requests: none of them is a repetition.
    const forgotten = this.origin === WHOLE ? counting.forgotten : undefined;
    const sourceTime = counting.newestOf(metric) ?? forgotten;
    return sourceTime === undefined ? stored : { ...sourceTimesOf(stored), sourceTime };
  }

  /** Remembers the times of the values of a fact that count. */
  fact(times: ReadonlyMap<number, readonly Metric[]>): void {
    if (this.#counting === undefined) return;
    for (const [time, metrics] of times) if (time <= this.latest) this.#counting.count(metrics, time);
  }
}

/** Returns the counted times of a server. Those of a clock that was ahead begin anew, as those of a server without any do. */
function timesBefore(windows: Windows, latest: number): CountedTimes {
  const { counted, tracked, untracked } = windows;
  if (counted !== undefined && !isAfter(counted, latest)) return counted;
  let forgotten = -Infinity;
  for (const metric of [...Object.keys(tracked), ...Object.keys(untracked?.metrics ?? {})]) {
    const { sourceTime = -Infinity } = arrivalOf(windows, metric);
    if (sourceTime <= latest) forgotten = Math.max(forgotten, sourceTime);
  }
  return { forgotten, byMetrics: {} };
}

/**
 * Leaves out the values whose times say that they were counted before, or that a later one was: a broker sends all
 * attributes of an entity whatever changed. Leaves out measurements without any other value. If the server has counted times, an
 * older value counts unless it was counted before. Returns the counted times with those of the measurements, if it has any.
 * `skewMs`: how far ahead of their arrival times are believed.
 */
export function newValues(
  { now, measures: all, times: timesOf, groups, origin }: Sent,
  windows: Windows,
  skewMs: number,
  ignoring: ValueObserver,
): { readonly measurements: readonly Measurement[]; readonly counted?: CountedTimes | undefined } {
  if (timesOf === undefined) {
    for (const measures of all) for (const metric in measures) ignoring.count(metric);
    const measurements = all.map((measures, i) => inGroup({ measures }, groups?.[i]));
    return { measurements };
  }
  const judge = new Judge(windows, (now + skewMs) * 1000, origin);
  const measurements: Measurement[] = [];
  for (const [i, measures] of all.entries()) {
    const given = timesOf[i] ?? {};
    // Names of metrics are plain members: a source may send a thousand of them, and pairs of them would take as long again.
    const counted: Record<Metric, number> = {};
    const times: Record<Metric, SourceTimes> = {};
    let later: Record<Metric, number> | undefined;
    let count = 0;
    const byTime = new Map<number, Metric[]>();
    for (const metric in measures) {
      const time = ofMetric(given, metric);
      if (time !== undefined) {
        const judged = judge.value(metric, time);
        if (typeof judged === 'string') {
          ignoring.leaveOut(metric, judged);
          continue;
        }
        times[metric] = judged.times;
        if (judged.later > 0) (later ??= {})[metric] = judged.later;
        const together = byTime.get(time);
        if (together === undefined) byTime.set(time, [metric]);
        else together.push(metric);
      }
      ignoring.count(metric);
      counted[metric] = measures[metric]!;
      count += 1;
    }
    if (count === 0) continue;
    judge.fact(byTime);
    const one = later === undefined ? { measures: counted, times } : { measures: counted, times, later };
    measurements.push(inGroup(one, groups?.[i]));
  }
  return { measurements, counted: judge.counted };
}

function inGroup(measurement: Measurement, group: number | undefined): Measurement {
  return group === undefined ? measurement : { ...measurement, group };
}
