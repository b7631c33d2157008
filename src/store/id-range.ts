import type { ListQuery } from './port.js';

/** Ids from `start` on and before `end`, in the order of their UTF-8; `start` is before `end`. */
export interface IdRange {
  readonly start: string;
  readonly end: string;
}

/**
 * The ids that a query may find. All ids of a kind, and of a tenant in it, begin with the same text up to a slash and
 * nobody else's do; `0` is the character behind the slash. No id holds a NUL, so that the first id behind another
 * one is that id with a NUL appended. undefined where `after` is behind all of them.
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
