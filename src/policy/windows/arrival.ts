import type { Metric } from '../rules/metrics.js';

/** The times that came with the values of one metric, µs since the epoch. */
export interface KnownTimes {
  /** That of the last value counted whose time was believed; absent if there was none. */
  readonly told?: number;
  /** That of the last value counted whose time was too far ahead to be believed; absent if there was none. */
  readonly ahead?: number;
}

/** When values of one metric of one server came. */
export interface Arrival extends KnownTimes {
  /** Arrival of the newest value, ms since the epoch; 0 if there never was one. */
  readonly at: number;
}

/** The times of some metrics. */
export type MetricTimes = Readonly<Record<Metric, KnownTimes>>;

/** Why a value does not count because of its time. */
export type StaleTime = 'repeated' | 'older';

/**
 * Returns what is known of a metric's times once a value with the time `time` counts, or why the value does not count. A
 * time is believed up to `latest`. A value with a later one counts once, and holds back no other. So does a known time
 * beyond `latest`: the clock was set back, or the setting was another one. µs since the epoch; `latest` may be infinite.
 */
export function judgedTime(
  time: number,
  { told, ahead }: KnownTimes,
  latest: number,
): KnownTimes | StaleTime {
  if (time === told || time === ahead) return 'repeated';
  if (time > latest) return timesOf(told, time);
  if (told === undefined || time > told) return timesOf(time, ahead);
  return told > latest ? timesOf(time, ahead ?? told) : 'older';
}

/** Returns what two records of one metric say together. What the newer one has counts. */
export function mergedArrival(older: Arrival, { at, told, ahead }: Arrival): Arrival {
  return { at: at === 0 ? older.at : at, ...timesOf(told ?? older.told, ahead ?? older.ahead) };
}

/** Returns the times without members that are undefined. */
export function timesOf(told: number | undefined, ahead: number | undefined): KnownTimes {
  if (ahead === undefined) return told === undefined ? {} : { told };
  return told === undefined ? { ahead } : { told, ahead };
}
