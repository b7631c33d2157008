import { createHash } from 'node:crypto';
import { wrongParameter } from '../../http/query.js';

type Parts = readonly [digest: string, string, string, moment?: string];

/** Returns a value of `next`: a digest of the query, and a place in its list. */
export function textOf(...parts: Parts): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Returns the parts of an `after`; undefined for a text that no `next` has. */
export function partsOf(text: string): Parts | undefined {
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
    const isCursor =
      Array.isArray(parts) &&
      (parts.length === 3 || parts.length === 4) &&
      parts.every((part) => typeof part === 'string');
    return isCursor ? (parts as [string, string, string, string?]) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the refusal of an `after`. */
export function wrongCursor(): Error {
  return wrongParameter('after', 'must be the `next` of a page that was asked for with the same parameters');
}

/** Returns a digest of the parameters of a query, which differs for nearly all others. */
export function digestOfQuery(parameters: readonly (string | undefined)[]): string {
  const parts = parameters.map((part) => part ?? null);
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 8);
}
