import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorShape, policyErrors } from './failures/error-shape.js';

/** Who asks, as far as the head of a request tells. */
export interface Asker {
  readonly headers: IncomingHttpHeaders;
  /** Undefined where the connection is gone. */
  readonly remoteAddress: string | undefined;
}

/** Lets somebody ask, or throws `Refusal`. */
export type Guard = (asker: Asker) => void;

/** A part of the path space with rules of its own; whatever lies in none has those of the policy API. */
export interface Area {
  /** Begins with a slash and covers whole segments: `/entity` covers `/entity/1`, not `/entityOperations`. */
  readonly prefix: string;
  /** How errors look here; as in the policy API when left out. */
  readonly errors?: ErrorShape;
  /** Paths here may end in `.json` by themselves: it is part of the name and not a wish for a format. */
  readonly literalPaths?: boolean;
  /** GET here has something recorded as well. */
  readonly getsRecord?: boolean;
  /** Whom everything here is for, known paths and others. */
  readonly guard?: Guard;
}

const policyArea: Area = { prefix: '/' };

/** True where a path lies in the area. */
function covers({ prefix }: Area, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

/** Calls the guard of a request's area, if it has one. Throws what the guard throws. */
export type CheckGuards = (method: string, path: string, asker: () => Asker) => void;

/**
 * Makes the check of the areas' guards. It comes before routing, so that a stranger cannot tell known paths from unknown
 * ones. OPTIONS of a known path needs no guard (contract). `allowed` returns the methods of a path.
 */
export function guardCheck(
  areas: readonly Area[],
  allowed: (path: string) => readonly string[],
): CheckGuards {
  const guarded = areas.filter(({ guard }) => guard !== undefined);
  return (method, path, asker) => {
    for (const area of guarded) {
      if (!covers(area, path)) continue;
      if (method !== 'OPTIONS' || allowed(path).length === 0) area.guard?.(asker());
    }
  };
}

/** The area that a path lies in: the first of `areas` that covers it. */
export function areaOf(areas: readonly Area[], path: string): Area {
  return areas.find((area) => covers(area, path)) ?? policyArea;
}

/** How an error looks at this path. */
export function errorsAt(areas: readonly Area[], path: string): ErrorShape {
  return areaOf(areas, path).errors ?? policyErrors;
}
