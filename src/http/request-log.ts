import type { Logger } from 'pino';
import type { RouteGroup } from './route-groups.js';

/** An answered request. Its query, headers and body are never logged. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  /** Time of arrival, as `performance.now()`. */
  readonly startedAt: number;
}

/**
 * Called with each answer, `seconds` after the request arrived. `route` is the pattern of its route, undefined if no route
 * takes the request.
 */
export type Observe = (method: string, status: number, seconds: number, route: string | undefined) => void;

/** A request that was answered with 4xx. */
export interface RefusedRequest {
  /** Empty if it could not be read. */
  readonly method: string;
  /** Without the query. Empty if it could not be read. */
  readonly path: string;
  readonly status: number;
  /** As the answer has it. */
  readonly message: string;
  /** The id of the tenant of the request, if it was found. */
  readonly tenant?: string | undefined;
}

/** Called with each answer 4xx. */
export type OnRefused = (request: RefusedRequest) => void;

/** Returns the time since a `performance.now()`, seconds. */
export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}

/** Maximum logged length of a path, characters: enough for four ids of 256. */
const LONGEST_PATH = 1100;

/** Logs an answer: with its cause at `error` from status 500 on, else at `debug`. */
export type LogAnswer = (answered: Answered, error?: unknown) => void;

/** Makes the log of answers. Of a secret path it shows the prefix of its route group: `/mute/…`. */
export function answerLog(log: Logger, groups: readonly RouteGroup[]): LogAnswer {
  const shownPath = withoutSecrets(groups);
  return (answered, error) => {
    const failed = answered.status >= 500;
    if (!failed && !log.isLevelEnabled('debug')) return;
    const fields = {
      requestId: answered.requestId,
      method: answered.method,
      path: shownPath(answered.path),
      status: answered.status,
      ms: Math.round((performance.now() - answered.startedAt) * 1000) / 1000,
    };
    if (failed) log.error({ ...fields, err: causeOf(error) }, 'request failed');
    else log.debug(fields, 'request answered');
  };
}

/**
 * Makes the function that returns a path without what follows the prefix of a secret path. The prefix counts wherever it is
 * and however it is written (`//mute/…`, `/MUTE/…`, `/%6dute/…`, below a path of PUBLIC_URL): a link that leads to nothing
 * here may still be good elsewhere.
 */
export function withoutSecrets(groups: readonly RouteGroup[]): (path: string) => string {
  const prefixes = groups
    .filter(({ secretPaths }) => secretPaths === true)
    .map(({ prefix }) => prefix.slice(1));
  if (prefixes.length === 0) return (path) => path.slice(0, LONGEST_PATH);
  const secret = new RegExp(`^(?<shown>(?:.*?[/\\\\])?(?:${prefixes.join('|')}))[/\\\\]+[^/\\\\].*$`, 'is');
  return (path) => {
    const shown = secret.exec(asciiDecoded(path))?.groups?.['shown'];
    return (shown === undefined ? path : `${shown}/…`).slice(0, LONGEST_PATH);
  };
}

/** Returns a path with its percent-encoded ASCII characters as they are. */
function asciiDecoded(path: string): string {
  return path.replaceAll(/%([0-7][\da-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * Returns names, codes and stacks of an error and its causes. Other members are omitted: drivers add whole documents,
 * which hold data of tenants.
 */
export function causeOf(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined || depth === 4 ? {} : { cause: causeOf(error.cause, depth + 1) };
  return { type: error.name, ...code, stack: error.stack, ...cause };
}
