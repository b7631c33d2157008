import type { Context } from 'koa';
import { Refusal } from '../errors.js';
import { quoted } from '../untrusted/text.js';
import { queryOf } from './request-head.js';

/** Longest id, bytes of UTF-8. */
const ID_BYTES = 1_000;

/** Throws a `Refusal` for an unknown parameter: ignoring a filter would return the wrong items. */
export function onlyOf(ctx: Context, names: readonly string[]): void {
  const unknown = Object.keys(queryOf(ctx)).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const allowed = names.length === 0 ? 'none' : names.join(', ');
  throw wrongParameter(quoted(unknown), `is no parameter here; allowed: ${allowed}`);
}

/** Returns a parameter with one of the allowed values. Throws a `Refusal` that names the parameter and the values. */
export function choice(ctx: Context, name: string, allowed: readonly string[]): string | undefined {
  const value = givenOnce(ctx, name);
  if (value === undefined || allowed.includes(value)) return value;
  throw wrongParameter(name, `must be one of ${allowed.join(', ')}`);
}

const DRY_RUN = 'dryRun';
/** The name in any case, with anything beside its letters: `dry_run`, `dry run`, `dryRun[]`. */
const LIKE_DRY_RUN = /^[^a-z]*dry[^a-z]*run[^a-z]*$/i;

/**
 * True for a request with `dryRun=true`. Throws a `Refusal` for any other value than `true` and `false`, and for another spelling:
 * the request would make its change.
 */
export function isDryRun(ctx: Context): boolean {
  const other = otherSpelling(ctx);
  if (other !== undefined) throw wrongParameter(quoted(other), `is no parameter here; allowed: ${DRY_RUN}`);
  if (queryOf(ctx)[DRY_RUN] === '') throw wrongParameter(DRY_RUN, 'must be one of true, false');
  return choice(ctx, DRY_RUN, ['true', 'false']) === 'true';
}

/** Throws a `Refusal` for a dry run of an operation that has none, in any spelling. */
export function refuseDryRun(ctx: Context): void {
  const other = otherSpelling(ctx);
  if (other === undefined && !isDryRun(ctx)) return;
  const name = other === undefined ? DRY_RUN : quoted(other);
  throw wrongParameter(name, 'this operation has no dry run; nothing was done');
}

function otherSpelling(ctx: Context): string | undefined {
  return Object.keys(queryOf(ctx)).find((name) => LIKE_DRY_RUN.test(name) && name !== DRY_RUN);
}

/**
 * Returns a parameter that is an integer between two limits; undefined if it is absent. Throws a `Refusal` that names it.
 */
export function wholeNumber(ctx: Context, name: string, least: number, most: number): number | undefined {
  const text = givenOnce(ctx, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw wrongParameter(name, `must be an integer from ${least} to ${most}`);
}

/** Returns a parameter without control characters. Throws a `Refusal` that names it. */
export function plain(ctx: Context, name: string): string | undefined {
  const value = givenOnce(ctx, name);
  if (value === undefined) return undefined;
  if (/\p{Cc}/u.test(value)) throw wrongParameter(name, 'holds no control characters');
  if (Buffer.byteLength(value) > ID_BYTES)
    throw wrongParameter(name, `must be at most ${ID_BYTES} bytes of UTF-8`);
  return value;
}

/** Returns a parameter; undefined if it is absent or empty. Throws a `Refusal` for one that is given several times. */
function givenOnce(ctx: Context, name: string): string | undefined {
  const value = queryOf(ctx)[name];
  if (Array.isArray(value)) throw wrongParameter(name, 'must be given once');
  return value === '' ? undefined : value;
}

/** Returns the refusal of a parameter. */
export function wrongParameter(name: string, what: string): Refusal {
  return new Refusal('bad-request', `${name}: ${what}`);
}
