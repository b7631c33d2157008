import { type Area, type Asker, covers } from './areas.js';
import type { EdgeRouter } from './context.js';
import { allowedMethods } from './unrouted.js';

/** Asks the guard of a request's area; throws what it throws. `asker` is called only where there is a guard. */
export type Guarding = (method: string, path: string, asker: () => Asker) => void;

/**
 * Guards areas as wholes: before a request is routed, so that who is not let in cannot tell a path that is there from
 * one that is not. OPTIONS of a path that is there is answered to everybody (contract).
 */
export function guarding(areas: readonly Area[], routers: readonly EdgeRouter[]): Guarding {
  const guarded = areas.filter(({ guard }) => guard !== undefined);
  return (method, path, asker) => {
    for (const area of guarded) {
      if (!covers(area, path)) continue;
      if (method !== 'OPTIONS' || allowedMethods(routers, path).length === 0) area.guard?.(asker());
    }
  };
}
