import type { Aggregate } from '../rules/condition.js';
import { meanOf, sumOf } from './aggregate.js';
import { ExactSum } from './exact-sum.js';

/**
 * The aggregates of a window while values are added to it and the oldest ones leave: each costs about the same, however
 * many values the window has. They are exactly those that `aggregated` returns for the values.
 */
export class SlidingAggregates {
  readonly #sum = new ExactSum();
  readonly #least: Extreme;
  readonly #most: Extreme;

  /** `values` are those of the window from `start` on. Values are added behind them. */
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
