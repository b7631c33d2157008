import type { ListQuery } from './port.js';

/** Ids from `start` up to `end`, which is not included, in the order of their UTF-8; `start` is before `end`. */
export interface IdRange {
  readonly start: string;
  readonly end: string;
}

/**
 * Returns the range of ids that a query may find; undefined if no id comes after `after`. The ids of a kind, and of a
 * tenant in it, share a prefix that ends with a slash; `0` is the character after the slash. No id holds a NUL: an id with
 * a NUL appended sorts directly after that id.
 */
export function idRange({ kind, tenant, after, descending = false }: ListQuery): IdRange | undefined {
  const stem = tenant === undefined ? kind : `${kind}/${tenant}`;
  const [first, last] = [`${stem}/`, `${stem}0`];
  const start = after === undefined || descending ? first : later(first, `${after}\0`);
  const end = after !== undefined && descending ? earlier(after, last) : last;
  return precedes(start, end) ? { start, end } : undefined;
}

function later(a: string, b: string): string {
  return precedes(a, b) ? b : a;
}

function earlier(a: string, b: string): string {
  return precedes(a, b) ? a : b;
}

/** True if the bytes of one text sort before those of another. */
export function precedes(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
}
