import { Refusal } from '../errors.js';
import { type Area, areaOf } from './areas.js';

/** What a request is routed by. */
export interface Target {
  /** Percent-encoded, without query and without a `.json` at its end. */
  readonly path: string;
  /** There was one. */
  readonly jsonSuffix: boolean;
}

const absoluteForm = /^https?:\/\/[^/?#]*(?<rest>.*)$/i;
const suffix = /\.json\/?$/;

/**
 * Path and query of the target in a request's first line, which may also be in absolute form (`http://host/path`).
 * What is neither is left as it is, and is the path of nothing.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = absoluteForm.exec(target)?.groups?.['rest'];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** What stands before the query. */
export function withoutQuery(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/**
 * What a path, percent-encoded and without query, is routed by. Throws `Refusal('bad-request')` for a
 * percent-encoding that stands for no text.
 */
export function targetOf(path: string, areas: readonly Area[]): Target {
  if (path.includes('%') && !isDecodable(path)) {
    throw new Refusal('bad-request', 'the path holds a percent-encoding that is not that of a UTF-8 text');
  }
  const jsonSuffix = path.includes('.json') && suffix.test(path) && areaOf(areas, path).literalPaths !== true;
  return { path: jsonSuffix ? path.replace(suffix, '') : path, jsonSuffix };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
