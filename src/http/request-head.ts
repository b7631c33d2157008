import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import { Refusal } from '../errors.js';
import { quoted } from '../untrusted/text.js';
import { type RouteGroup, groupOf } from './route-groups.js';
import type { EdgeContext } from './context.js';
import { ProtocolFault } from './failures/failure.js';

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*(?<rest>.*)$/i;
const JSON_SUFFIX = /\.json\/?$/;

/**
 * Reads the head of a request: sets its id, its time of arrival and the path to route by. Throws `ProtocolFault` and
 * `Refusal('bad-request')` for an invalid HTTP/1.1 request.
 */
export function readHead({ req, res, state }: EdgeContext, groups: readonly RouteGroup[]): void {
  state.requestId = requestIdOf(req.headers['x-request-id']);
  state.startedAt = performance.now();
  res.setHeader('X-Request-Id', state.requestId);
  req.url = originForm(req.url ?? '');
  state.path = withoutQuery(req.url);
  const { path, jsonSuffix } = targetOf(state.path, groups);
  state.path = path;
  state.jsonSuffix = jsonSuffix;
  checkHeaders(req);
}

/** Returns the request's X-Request-Id if it is 1 to 128 letters, digits or `._:-`, else a new id. */
export function requestIdOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
}

/**
 * Returns path and query of a request target, which may have the absolute form (`http://host/path`). Any other target is
 * returned unchanged and matches no route.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = ABSOLUTE_FORM.exec(target)?.groups?.['rest'];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Returns the part of a target before the query. */
export function withoutQuery(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/**
 * Parses the query parameters in time proportional to their length. Koa's `ctx.query` takes quadratic time if a name
 * repeats often.
 */
export function queryOf({ querystring }: { readonly querystring: string }): ParsedUrlQuery {
  return parse(querystring, '&', '=', { maxKeys: 0 });
}

/** The path to route by. */
export interface Target {
  /** Percent-encoded, without query and without a final `.json`. */
  readonly path: string;
  /** True if the path had a final `.json`. */
  readonly jsonSuffix: boolean;
}

/**
 * Returns the path to route by. `path` is percent-encoded and without query. Throws for a percent-encoding of invalid
 * UTF-8: `Refusal('not-found')` where paths are secrets, because it is a wrong one, else `Refusal('bad-request')`.
 */
export function targetOf(path: string, groups: readonly RouteGroup[]): Target {
  if (path.includes('%') && !isDecodable(path)) {
    throw new Refusal(
      groupOf(groups, path).secretPaths === true ? 'not-found' : 'bad-request',
      'the path holds a percent-encoding that is not that of a UTF-8 text',
    );
  }
  const jsonSuffix =
    path.includes('.json') && JSON_SUFFIX.test(path) && groupOf(groups, path).literalPaths !== true;
  return { path: jsonSuffix ? path.replace(JSON_SUFFIX, '') : path, jsonSuffix };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function checkHeaders({ headers: { host, expect }, rawHeaders, httpVersion }: IncomingMessage): void {
  if (host === undefined && httpVersion === '1.1') {
    throw new Refusal('bad-request', 'the Host header is missing; HTTP/1.1 asks for it');
  }
  if (isHostRepeated(rawHeaders)) throw new Refusal('bad-request', 'the Host header must be given once');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new ProtocolFault(417, `Expect may be 100-continue or left out, not ${quoted(expect)}`);
  }
}

/** `rawHeaders` alternate names and values. `req.headers` holds only the first of several Host headers. */
function isHostRepeated(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
