import type { Context } from 'koa';
import { Refusal } from '../errors.js';
import { queryOf } from '../http/request-head.js';
import { quoted } from '../untrusted/text.js';
import { addressOf } from '../store/port.js';

const LIMIT = 100;
const LIMIT_MAX = 1_000;
/** Longest id, bytes of UTF-8. */
const ID_BYTES = 1_000;

/** Requested part of a listing. */
export interface Range {
  readonly tenant: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Throws a `Refusal` for an unknown parameter: ignoring a filter would return the wrong items. */
export function onlyOf(ctx: Context, names: readonly string[]): void {
  const unknown = Object.keys(queryOf(ctx)).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw wrong(quoted(unknown), `is no parameter here; allowed: ${names.join(', ')}`);
  }
}

/** Returns a parameter with one of the allowed values. Throws a `Refusal` that names the parameter and the values. */
export function choice(ctx: Context, name: string, allowed: readonly string[]): string | undefined {
  const value = given(ctx, name);
  if (value === undefined || allowed.includes(value)) return value;
  throw wrong(name, `must be one of ${allowed.join(', ')}`);
}

/** Returns the requested part of a listing of these kinds. Throws a `Refusal` that names the wrong parameter. */
export function rangeOf(ctx: Context, kinds: readonly string[]): Range {
  const tenant = plain(ctx, 'tenant');
  if (tenant?.includes('/') === true) throw wrong('tenant', 'holds no slash');
  const after = plain(ctx, 'after');
  if (after !== undefined && !isListed(after, kinds, tenant)) {
    throw wrong('after', 'must be the `next` of a page that was asked for with the same kind and tenant');
  }
  return { tenant, after, limit: limitOf(ctx) };
}

function limitOf(ctx: Context): number {
  const text = given(ctx, 'limit');
  const limit = text === undefined ? LIMIT : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw wrong('limit', `must be an integer from 1 to ${LIMIT_MAX}`);
}

function isListed(id: string, kinds: readonly string[], tenant: string | undefined): boolean {
  if (id.split('/', 3).length < 3) return false;
  const address = addressOf(id);
  return kinds.includes(address.kind) && (tenant ?? address.tenant) === address.tenant;
}

/** Returns a parameter without control characters. Throws a `Refusal` that names it. */
export function plain(ctx: Context, name: string): string | undefined {
  const value = given(ctx, name);
  if (value === undefined) return undefined;
  if (/\p{Cc}/u.test(value)) throw wrong(name, 'holds no control characters');
  if (Buffer.byteLength(value) > ID_BYTES) throw wrong(name, `must be at most ${ID_BYTES} bytes of UTF-8`);
  return value;
}

/**
 * Returns a parameter that is an integer between two limits; undefined if it is absent. Throws a `Refusal` that names it.
 */
export function wholeNumber(ctx: Context, name: string, least: number, most: number): number | undefined {
  const text = given(ctx, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw wrong(name, `must be an integer from ${least} to ${most}`);
}

function given(ctx: Context, name: string): string | undefined {
  const value = queryOf(ctx)[name];
  if (Array.isArray(value)) throw wrong(name, 'must be given once');
  return value === '' ? undefined : value;
}

function wrong(name: string, what: string): Refusal {
  return new Refusal('bad-request', `${name}: ${what}`);
}
