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

/** A part of the path space with its own rules. Paths outside of all areas have the rules of the policy API. */
export interface Area {
  /** Begins with a slash and covers whole segments: `/entity` covers `/entity/1`, not `/entityOperations`. */
  readonly prefix: string;
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
  /** Called for all paths of the area, known or not. */
  readonly guard?: Guard;
}

const policyArea: Area = { prefix: '/' };

/** Returns the first area that covers a path, or the policy API's. */
export function areaOf(areas: readonly Area[], path: string): Area {
  return areas.find((area) => covers(area, path)) ?? policyArea;
}

/** Returns the format of errors at a path. */
export function errorsAt(areas: readonly Area[], path: string): ErrorFormat {
  return areaOf(areas, path).errors ?? policyErrors;
}

/**
 * Makes a faster `areaOf`, which compares a path with the areas of its first segment alone. It returns undefined outside
 * of all areas.
 */
export function areaFinder(areas: readonly Area[]): (path: string) => Area | undefined {
  const bySegment = new Map<string, Area[]>();
  for (const area of areas) {
    const segment = firstSegment(area.prefix);
    bySegment.set(segment, [...(bySegment.get(segment) ?? []), area]);
  }
  return (path) => bySegment.get(firstSegment(path))?.find((area) => covers(area, path));
}

/** Returns the part of a path before its second slash. */
function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path : path.slice(0, end);
}

function covers({ prefix }: Area, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

/** Calls the guard of a request's area, if it has one. Throws what the guard throws. */
export type CheckGuards = (method: string, path: string, requester: () => Requester) => void;

/**
 * Makes the check of the areas' guards. It comes before routing, so that a stranger cannot tell known paths from unknown
 * ones. OPTIONS of a known path needs no guard (docs/adr/0013). `allowed` returns the methods of a path.
 */
export function guardCheck(
  areas: readonly Area[],
  allowed: (path: string) => readonly string[],
): CheckGuards {
  const guarded = areas.filter(({ guard }) => guard !== undefined);
  return (method, path, requester) => {
    for (const area of guarded) {
      if (!covers(area, path)) continue;
      if (method !== 'OPTIONS' || allowed(path).length === 0) area.guard?.(requester());
    }
  };
}
