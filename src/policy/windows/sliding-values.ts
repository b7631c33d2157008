import type { Aggregate } from '../rules/condition.js';
import { aggregated, ExactSum, meanOf, sumOf } from './aggregate.js';

/** What the values of a window have in common while some are added. */
interface Shared {
  /** Values are added at its end, and none is removed. */
  readonly buffer: number[];
  /** Those of the newest values; undefined until they are needed. */
  aggregates: SlidingAggregates | undefined;
}

/**
 * The values of a window while the measurements of a request are added, oldest first. It is immutable, and shares its memory
 * with those before and after it: to add a value, or to ask for an aggregate of the newest values, costs about the same,
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

/**
 * The aggregates of a window while values are added to it and the oldest ones leave: each costs about the same, however
 * many values the window has. They are exactly those that `aggregated` returns for the values.
 */
class SlidingAggregates {
  readonly #sum = new ExactSum();
  readonly #least: Extreme;
  readonly #most: Extreme;

  /** `values` are those of the window from `start` on. Values are added after them. */
  constructor(
    private readonly values: readonly number[],
    private start: number,
  ) {
    this.#least = new Extreme(values, (kept, added) => kept < added);
    this.#most = new Extreme(values, (kept, added) => kept > added);
    for (let i = start; i < values.length; i += 1) this.#enter(i);
  }

  /** Called after a value was added. The window is that from `start` on. */
  slide(start: number): void {
    this.#enter(this.values.length - 1);
    for (; this.start < start; this.start += 1) this.#sum.subtract(this.values[this.start]!);
    this.#least.leave(start);
    this.#most.leave(start);
  }

  /** Returns an aggregate of the window, which is not empty. */
  of(aggregate: Aggregate): number {
    switch (aggregate) {
      case 'mean':
        return meanOf(this.#sum, this.values.length - this.start, this.#least.value, this.#most.value);
      case 'last':
        return this.values.at(-1)!;
      case 'sum':
        return sumOf(this.#sum);
      case 'min':
        return this.#least.value;
      case 'max':
        return this.#most.value;
    }
  }

  #enter(index: number): void {
    this.#sum.add(this.values[index]!);
    this.#least.enter(index);
    this.#most.enter(index);
  }
}

/** The smallest or the largest value of a sliding window. */
class Extreme {
  /** Indexes of the values that no later one surpasses, from `#first` on. The extreme is the first. */
  readonly #candidates: number[] = [];
  #first = 0;

  /** `surpasses`: a value that is kept stays in spite of one that was added later. */
  constructor(
    private readonly values: readonly number[],
    private readonly surpasses: (kept: number, added: number) => boolean,
  ) {}

  enter(index: number): void {
    const candidates = this.#candidates;
    const added = this.values[index]!;
    while (
      candidates.length > this.#first &&
      !this.surpasses(this.values[candidates[candidates.length - 1]!]!, added)
    ) {
      candidates.pop();
    }
    candidates.push(index);
  }

  /** Values before `start` are no longer in the window. */
  leave(start: number): void {
    while (this.#candidates[this.#first]! < start) this.#first += 1;
  }

  get value(): number {
    return this.values[this.#candidates[this.#first]!]!;
  }
}
