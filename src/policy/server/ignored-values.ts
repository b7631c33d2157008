import { type Metric, recordOf } from '../rules/metrics.js';
import type { StaleTime } from '../windows/counted-times.js';

/** Why a value was left out. */
export type IgnoredWhy = StaleTime | 'other subscription';

/** The values of one metric that were left out since the last one that counted. */
export interface Ignored {
  readonly count: number;
  /** Arrival of the last of them, ms since the epoch. */
  readonly at: number;
  /** Why the last of them was left out. */
  readonly why: IgnoredWhy;
}

/** What the context of a server has of the values that were left out. */
export interface IgnoredBefore {
  /** Since the last one that counted, by metric; undefined: none. */
  readonly ignored: Readonly<Record<Metric, Ignored>> | undefined;
  /** When `ignored` was last written, ms since the epoch; see `Ignoring`. */
  readonly ignoredWrittenAt: number | undefined;
}

/** Values of one metric that one request left out for one reason. */
export interface IgnoredValues {
  readonly metric: Metric;
  readonly why: IgnoredWhy;
  readonly count: number;
}

/** Maximum number of metrics whose ignored values a server remembers. */
const METRICS_LIMIT = 256;
/**
 * Minimum time between two commits that write nothing but ignored values, ms. A broker sends each value again with every
 * other one, and once for each subscription.
 */
const WRITTEN_EVERY_MS = 60_000;

type IgnoredCount = { -readonly [K in keyof IgnoredValues]: IgnoredValues[K] };

/** The values that one request leaves out. */
export class Ignoring {
  #ignored: Map<Metric, Ignored> | undefined;
  /** By metric and reason. */
  #values: Map<string, IgnoredCount> | undefined;

  /** `now` is in ms since the epoch. */
  constructor(
    private readonly context: IgnoredBefore,
    private readonly now: number,
  ) {}

  /** The values that were left out; undefined: none. */
  get values(): readonly IgnoredValues[] | undefined {
    return this.#values && [...this.#values.values()];
  }

  /** Records a value that is left out. */
  leaveOut(metric: Metric, why: IgnoredWhy): void {
    const ignored = this.#copied();
    const count = (ignored.get(metric)?.count ?? 0) + 1;
    // The newest last.
    ignored.delete(metric);
    ignored.set(metric, { count, at: this.now, why });
    const values = (this.#values ??= new Map<string, IgnoredCount>());
    const key = `${metric} ${why}`;
    const known = values.get(key);
    if (known === undefined) values.set(key, { metric, why, count: 1 });
    else known.count += 1;
  }

  /** Records a value that counts. */
  count(metric: Metric): void {
    if (this.#ignored === undefined && this.context.ignored === undefined) return;
    this.#copied().delete(metric);
  }

  /** Returns the change of the context. `isWritten`: something else of the request is written in any case. */
  change(isWritten: boolean): Partial<IgnoredBefore> {
    if (this.#ignored === undefined) return {};
    if (this.#ignored.size === 0) return { ignored: undefined };
    const ignored = recordOf([...this.#ignored].slice(-METRICS_LIMIT));
    const { ignoredWrittenAt: last = -Infinity } = this.context;
    const isDue = this.now - last >= WRITTEN_EVERY_MS || last > this.now;
    return isWritten || isDue ? { ignored, ignoredWrittenAt: this.now } : { ignored };
  }

  #copied(): Map<Metric, Ignored> {
    return (this.#ignored ??= new Map(Object.entries(this.context.ignored ?? {})));
  }
}
