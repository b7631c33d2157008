import type { Aggregate } from '../rules/condition.js';
import { aggregated } from './aggregate.js';
import { SlidingAggregates } from './sliding-aggregates.js';

/** What the values of a window have in common while some are added. */
interface Shared {
  /** Values are added at its end, and none is removed. */
  readonly buffer: number[];
  /** Those of the newest values; undefined until they are needed. */
  aggregates: SlidingAggregates | undefined;
}

/**
 * The values of a window while the measurements of a request are added, oldest first. It is immutable, and shares its memory
 * with those before and behind it: to add a value, or to ask for an aggregate of the newest values, costs about the same,
 * however many values there are.
 */
export class SlidingValues {
  private constructor(
    private readonly shared: Shared,
    private readonly start: number,
    private readonly end: number,
  ) {}

  static of(values: readonly number[]): SlidingValues {
    return new SlidingValues({ buffer: values.slice(), aggregates: undefined }, 0, values.length);
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Returns the newest `size` values with one more. */
  with(value: number, size: number): SlidingValues {
    const { shared, end } = this;
    if (!this.#isNewest) return SlidingValues.of(this.toArray()).with(value, size);
    shared.buffer.push(value);
    const start = Math.max(this.start, end + 1 - size);
    shared.aggregates?.slide(start);
    return new SlidingValues(shared, start, end + 1);
  }

  /** Returns an aggregate of the values, of which there is at least one. */
  aggregate(aggregate: Aggregate): number {
    if (!this.#isNewest) return aggregated(aggregate, this.toArray());
    const { shared, start } = this;
    return (shared.aggregates ??= new SlidingAggregates(shared.buffer, start)).of(aggregate);
  }

  toArray(): readonly number[] {
    return this.shared.buffer.slice(this.start, this.end);
  }

  get #isNewest(): boolean {
    return this.end === this.shared.buffer.length;
  }
}
