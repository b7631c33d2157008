import type { Logger } from 'pino';

/** A request that was answered. Its query, headers and body are nobody's business. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
}

/** Time since a moment of `performance.now()`, in seconds. */
export function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}

/** Characters of a path that are logged: enough for four ids of 256. */
const LONGEST_PATH = 1100;

/** One line for an answer: at `error` with the cause from 500 on, else at `debug`. */
export function logAnswer(log: Logger, answered: Answered, error?: unknown): void {
  const failed = answered.status >= 500;
  if (!failed && !log.isLevelEnabled('debug')) return;
  const fields = {
    requestId: answered.requestId,
    method: answered.method,
    path: answered.path.slice(0, LONGEST_PATH),
    status: answered.status,
    ms: Math.round((performance.now() - answered.startedAt) * 1000) / 1000,
  };
  if (failed) log.error({ ...fields, err: causeOf(error) }, 'request failed');
  else log.debug(fields, 'request answered');
}

/**
 * Names, codes and stacks of an error and its causes. Nothing else of it: drivers hang whole documents on their
 * errors, and those are the tenants'.
 */
export function causeOf(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined || depth === 4 ? {} : { cause: causeOf(error.cause, depth + 1) };
  return { type: error.name, ...code, stack: error.stack, ...cause };
}
