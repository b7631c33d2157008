import type { IncomingHttpHeaders } from 'node:http';
import type { Session } from './session.js';
import { type ErrorFormat, policyErrors } from './failures/error-formats.js';

/** The sender of a request, as far as its head shows. */
export interface Requester {
  readonly headers: IncomingHttpHeaders;
  /** undefined if the connection is closed. */
  readonly remoteAddress: string | undefined;
  /** The client address, as limits count it. */
  readonly client: string;
  /** The session of the console. undefined for a request without one. */
  readonly session?: Session | undefined;
}

/** Allows a requester, or throws `Refusal`. */
export type Guard = (requester: Requester) => void;

/** Paths with one guard, one format of errors and rules of their own. All other paths have the rules of the policy API. */
export interface RouteGroup {
  /** Begins with a slash and covers whole segments: `/entity` covers `/entity/1`, not `/entityOperations`. */
  readonly prefix: string;
  /** If set, the group covers only those of its paths that end in this, or in this and a slash. */
  readonly suffix?: string;
  /** The format of errors; default: the policy API's. */
  readonly errors?: ErrorFormat;
  /** True if a final `.json` is part of the path, not a request for a format. */
  readonly literalPaths?: boolean;
  /** True if no cache may keep answers, which differ by who asks. A handler may decide otherwise. */
  readonly unstored?: boolean;
  /** True if the paths below the prefix are secrets. Logs show the prefix alone, and a path that cannot be read is 404. */
  readonly secretPaths?: boolean;
  /** True if GET records too. */
  readonly getsRecord?: boolean;
  /** Called for all paths of the group, known or not. */
  readonly guard?: Guard;
}

const policyGroup: RouteGroup = { prefix: '/' };

/** Returns the first group that covers a path, or the policy API's. */
export function groupOf(groups: readonly RouteGroup[], path: string): RouteGroup {
  return groups.find((group) => covers(group, path)) ?? policyGroup;
}

/** Returns the format of errors at a path. */
export function errorsAt(groups: readonly RouteGroup[], path: string): ErrorFormat {
  return groupOf(groups, path).errors ?? policyErrors;
}

function covers({ prefix, suffix }: RouteGroup, path: string): boolean {
  return (
    path.startsWith(prefix) &&
    (path.length === prefix.length || path[prefix.length] === '/') &&
    (suffix === undefined || path.endsWith(suffix, path.endsWith('/') ? path.length - 1 : path.length))
  );
}

/** Calls the guard of a request's route group, if it has one. Throws what the guard throws. */
export type CheckGuards = (method: string, path: string, requester: () => Requester) => void;

/**
 * Makes the check of the groups' guards. It comes before routing, so that a stranger cannot tell known paths from unknown
 * ones. OPTIONS of a known path needs no guard (docs/adr/0013-access-control.md). `allowed` returns the methods of a path.
 */
export function guardCheck(
  groups: readonly RouteGroup[],
  allowed: (path: string) => readonly string[],
): CheckGuards {
  const guarded = groups.filter(({ guard }) => guard !== undefined);
  return (method, path, requester) => {
    for (const group of guarded) {
      if (!covers(group, path)) continue;
      if (method !== 'OPTIONS' || allowed(path).length === 0) group.guard?.(requester());
    }
  };
}
