import type { ListQuery } from './port.js';

/** Ids from `start` up to `end`, which is not included, in the order of their UTF-8; `start` is before `end`. */
export interface IdRange {
  readonly start: string;
  readonly end: string;
}

/**
 * Returns the range of ids that a query may find; undefined if `after` is behind all of them. The ids of a kind, and of
 * a tenant in it, share a prefix that ends with a slash; `0` is the character after the slash. No id holds a NUL: an id
 * with a NUL appended sorts directly behind that id.
 */
export function idRange(query: ListQuery): IdRange | undefined {
  const stem = query.tenant === undefined ? query.kind : `${query.kind}/${query.tenant}`;
  const first = `${stem}/`;
  const next = query.after === undefined ? first : `${query.after}\0`;
  const end = `${stem}0`;
  const start = precedes(first, next) ? next : first;
  return precedes(start, end) ? { start, end } : undefined;
}

function precedes(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
}
