import type { LeftOutWhy, SourceValue } from './source-value.js';

/** Values that were left out for one reason. */
export interface LeftOut {
  readonly why: LeftOutWhy;
  readonly count: number;
  /** The last of them as it was sent, its names cut to 256 characters. Of one that a server left out, only names are known. */
  readonly last: LeftOutValue;
}

/** A value that was left out. */
export type LeftOutValue = Pick<SourceValue, 'server' | 'metric'> & Partial<SourceValue>;

/** Maximum characters of a name. */
const LONGEST = 256;

/** Counts the values that are left out, by reason, and keeps the last of each. */
export class LeftOutValues {
  readonly #byWhy = new Map<LeftOutWhy, { count: number; last: LeftOutValue }>();

  /** Adds `count` values. */
  add(why: LeftOutWhy, last: LeftOutValue, count = 1): void {
    const known = this.#byWhy.get(why);
    if (known === undefined) this.#byWhy.set(why, { count, last });
    else {
      known.count += count;
      known.last = last;
    }
  }

  /** One element for each reason, in the order of their first values. */
  get all(): readonly LeftOut[] {
    return [...this.#byWhy].map(([why, { count, last }]) => ({
      why,
      count,
      last: { ...last, server: cut(last.server), metric: cut(last.metric) },
    }));
  }
}

function cut(name: string): string {
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST - 1)}…`.toWellFormed();
}
