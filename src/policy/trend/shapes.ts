/** The trend of one watched metric of a server: the last hour in minutes, before that the last day in tens of minutes. */
export interface Trend {
  readonly metric: string;
  /** Oldest first; those without values are left out. */
  readonly buckets: readonly ShownBucket[];
}

/** The values of a metric that came in some time. */
export interface ShownBucket {
  /** Its start, UTC. */
  readonly at: string;
  /** Its length. */
  readonly seconds: number;
  /** Number of values. */
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}
