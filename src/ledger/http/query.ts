import { Refusal } from '../../errors.js';
import { quoted } from '../../untrusted/text.js';
import type { QueryParameters } from '../content/query.js';
import type { Page } from '../port.js';

/** Maximum number of entities in a page of L6, and the default. */
export const LARGEST_PAGE = 1000;

/**
 * Parses the text after `?` as a form: `+` is a blank. Throws `Refusal('bad-request')` for a percent-encoding that is not
 * UTF-8: a replacement character would be hashed that the client did not send.
 */
export function queryOf(text: string): QueryParameters {
  const query = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decoded(pair.slice(equals + 1));
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Refusal(
      'bad-request',
      `the query holds a percent-encoding that is not that of a UTF-8 text: ${quoted(text)}`,
    );
  }
}

/** Returns the page of L6; defaults: `offset` 0, `limit` 1000. Throws `Refusal('bad-request')`. */
export function pageOfEntities(query: QueryParameters): Page {
  const { offset = 0, limit = LARGEST_PAGE } = pageOf(query, LARGEST_PAGE);
  return { offset, limit };
}

/** Returns the page of L7; default: all transactions. Throws `Refusal('bad-request')`. */
export function pageOfTransactions(query: QueryParameters): Partial<Page> {
  return pageOf(query, Number.MAX_SAFE_INTEGER);
}

/**
 * Returns the name of L5 (ledger §4, batch update or replace): `replace` with `options=replace`, else `upsert`. Throws
 * `Refusal('bad-request')` for other options.
 */
export function batchNameOf(query: QueryParameters): 'upsert' | 'replace' {
  const options = single(query, 'options') ?? 'update';
  if (options !== 'update' && options !== 'replace') {
    throw new Refusal('bad-request', `options must be update or replace, not ${quoted(options)}`);
  }
  return options === 'replace' ? 'replace' : 'upsert';
}

function pageOf(query: QueryParameters, largest: number): Partial<Page> {
  for (const name of query.keys()) {
    if (name !== 'offset' && name !== 'limit') {
      throw new Refusal('bad-request', `there is no parameter ${quoted(name)} here; allowed: offset, limit`);
    }
  }
  const wrong: string[] = [];
  const integer = (name: string, min: number, max: number): number | undefined => {
    const text = single(query, name);
    if (text === undefined) return undefined;
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    wrong.push(`${name} must be an integer from ${min} to ${max}, not ${quoted(text)}`);
    return undefined;
  };
  const offset = integer('offset', 0, Number.MAX_SAFE_INTEGER);
  const limit = integer('limit', 1, largest);
  if (wrong.length > 0) throw new Refusal('bad-request', wrong.join('; '));
  return { ...(offset === undefined ? {} : { offset }), ...(limit === undefined ? {} : { limit }) };
}

function single(query: QueryParameters, name: string): string | undefined {
  return onlyValue(name, query.get(name));
}

/** Returns the value of a parameter or a header. Throws `Refusal('bad-request')` for several values. */
export function onlyValue(name: string, values: readonly string[] = []): string | undefined {
  if (values.length > 1)
    throw new Refusal('bad-request', `${name} must be given once, not ${values.length} times`);
  return values[0];
}
