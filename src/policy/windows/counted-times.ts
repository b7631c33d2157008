import { type Metric, recordOf } from '../rules/metrics.js';

/** Why a value does not count because of its source timestamp. */
export type StaleTime = 'repeated' | 'older';

/**
 * The times with which the values of a server counted last, µs since the epoch. A value that is older than the last one of
 * its metric is compared with them: it counts if it did not before.
 */
export interface CountedTimes {
  /** Values up to this time may have counted although their times are not here; absent: there are none. */
  readonly forgotten?: number;
  /** The times of facts by their metrics, joined by commas. Ascending, each as `DIGITS` digits of base 36. */
  readonly byMetrics: Readonly<Record<string, string>>;
  /** True if values come in any order: more times are remembered then. Absent: none has come after a later one. */
  readonly unordered?: true;
}

/** All have the same length, so texts compare as their numbers do. */
const DIGITS = 11;
/** Times from here on, in the year 6140, have more digits. They are not remembered. */
const END = 36 ** DIGITS;
/**
 * Maximum number of times of a server whose values come in any order: a broker has at most so many messages without an
 * acknowledgement (`receiveMaximum`), and repeats no others.
 */
export const TIMES_LIMIT = 128;
/** Maximum numbers of times, and of characters of times and metrics. Every fact writes them, so most servers have few. */
const LIMITS = {
  ordered: { times: 16, characters: 1024 },
  unordered: { times: TIMES_LIMIT, characters: 16 * 1024 },
};

/** The counted times of a server, to which the facts of one request are added. */
export class CountingTimes {
  readonly #byMetrics = new Map<string, string>();
  #forgotten: number;
  #times = 0;
  #characters = 0;
  #unordered: boolean;
  /** The keys of `#byMetrics` by metric; undefined until one is asked for. */
  #keys: Map<Metric, string[]> | undefined;

  /** `unordered`: the source is one whose values come in any order. */
  constructor({ forgotten = -Infinity, byMetrics, unordered: before }: CountedTimes, unordered = false) {
    this.#forgotten = forgotten;
    this.#unordered = unordered || before === true;
    for (const key in byMetrics) {
      const times = byMetrics[key]!;
      this.#byMetrics.set(key, times);
      this.#times += times.length / DIGITS;
      this.#characters += key.length + times.length;
    }
  }

  /**
   * Judges a value that is older than the last one of its metric. Returns how many values of the metric with a later time
   * counted, or why this one does not count.
   */
  judge(metric: Metric, time: number): number | StaleTime {
    if (time <= this.#forgotten || time < 0 || time >= END) {
      this.#unordered = true;
      return 'older';
    }
    const text = textOf(time);
    let later = 0;
    for (const key of this.#keysOf(metric)) {
      const times = this.#byMetrics.get(key) ?? '';
      const place = placeOf(text, times);
      if (times.startsWith(text, place)) return 'repeated';
      later += (times.length - place) / DIGITS;
    }
    this.#unordered = true;
    return later;
  }

  /** Returns the latest of the times with which values of a metric counted; undefined: none is remembered. */
  newestOf(metric: Metric): number | undefined {
    let newest = '';
    for (const key of this.#keysOf(metric)) {
      const last = this.#byMetrics.get(key)?.slice(-DIGITS) ?? '';
      if (last > newest) newest = last;
    }
    return newest === '' ? undefined : Number.parseInt(newest, 36);
  }

  /** As `CountedTimes.forgotten`. */
  get forgotten(): number | undefined {
    return this.#forgotten === -Infinity ? undefined : this.#forgotten;
  }

  /** Adds the time of a fact. `metrics`: those whose values count. */
  count(metrics: readonly Metric[], time: number): void {
    if (time < 0) {
      this.#forgotten = Math.max(this.#forgotten, time);
      return;
    }
    if (time >= END) return;
    const key = metrics.join(',');
    const times = this.#byMetrics.get(key);
    const text = textOf(time);
    if (times === undefined) {
      this.#byMetrics.set(key, text);
      this.#characters += key.length;
      if (this.#keys !== undefined) for (const metric of metrics) addKey(this.#keys, metric, key);
    } else {
      const place = placeOf(text, times);
      this.#byMetrics.set(key, times.slice(0, place) + text + times.slice(place));
    }
    this.#times += 1;
    this.#characters += DIGITS;
    const limit = this.#unordered ? LIMITS.unordered : LIMITS.ordered;
    while (this.#times > limit.times || this.#characters > limit.characters) this.#forgetOldest();
  }

  /** Returns the times as they are stored. */
  get stored(): CountedTimes {
    const byMetrics = recordOf(this.#byMetrics);
    const { forgotten } = this;
    return {
      ...(forgotten === undefined ? {} : { forgotten }),
      byMetrics,
      ...(this.#unordered ? { unordered: true as const } : {}),
    };
  }

  #forgetOldest(): void {
    let oldest: string | undefined;
    let first = '';
    for (const [key, times] of this.#byMetrics) {
      const time = times.slice(0, DIGITS);
      if (oldest === undefined || time < first) [oldest, first] = [key, time];
    }
    const rest = this.#byMetrics.get(oldest!)!.slice(DIGITS);
    this.#times -= 1;
    this.#characters -= DIGITS;
    this.#forgotten = Math.max(this.#forgotten, Number.parseInt(first, 36));
    if (rest !== '') return void this.#byMetrics.set(oldest!, rest);
    this.#byMetrics.delete(oldest!);
    this.#characters -= oldest!.length;
  }

  #keysOf(metric: Metric): readonly string[] {
    if (this.#keys === undefined) {
      this.#keys = new Map();
      for (const key of this.#byMetrics.keys())
        for (const one of key.split(',')) addKey(this.#keys, one, key);
    }
    return this.#keys.get(metric) ?? [];
  }
}

function addKey(keys: Map<Metric, string[]>, metric: Metric, key: string): void {
  const known = keys.get(metric);
  if (known === undefined) keys.set(metric, [key]);
  else if (!known.includes(key)) known.push(key);
}

/** True if one of the times is after `latest`. */
export function isAfter({ forgotten, byMetrics }: CountedTimes, latest: number): boolean {
  if (latest === Infinity) return false;
  if ((forgotten ?? 0) > latest) return true;
  const text = textOf(latest);
  for (const key in byMetrics) if (byMetrics[key]!.slice(-DIGITS) > text) return true;
  return false;
}

/** Returns the text of `JSON.stringify(counted)` in a fraction of the time. */
export function countedTimesText({ forgotten, byMetrics, unordered }: CountedTimes): string {
  let text = forgotten === undefined ? '{"byMetrics":{' : `{"forgotten":${forgotten},"byMetrics":{`;
  let separator = '';
  for (const metrics in byMetrics) {
    text += `${separator}"${metrics}":"${byMetrics[metrics]}"`;
    separator = ',';
  }
  return unordered === undefined ? `${text}}}` : `${text}},"unordered":true}`;
}

function textOf(time: number): string {
  return time.toString(36).padStart(DIGITS, '0');
}

/** Returns the index of a time in the times, or the one at which it belongs. Most are near the end. */
function placeOf(text: string, times: string): number {
  let place = times.length;
  while (place > 0 && times.slice(place - DIGITS, place) >= text) place -= DIGITS;
  return place;
}
