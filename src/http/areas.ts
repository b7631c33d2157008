import { type ErrorShape, policyErrors } from './error-shape.js';

/** A part of the path space with rules of its own; whatever lies in none has those of the policy API. */
export interface Area {
  /** Begins with a slash and covers whole segments: `/entity` covers `/entity/1`, not `/entityOperations`. */
  readonly prefix: string;
  /** How errors look here; as in the policy API when left out. */
  readonly errors?: ErrorShape;
  /** Paths here may end in `.json` by themselves: it is part of the name and not a wish for a format. */
  readonly literalPaths?: boolean;
}

const policyArea: Area = { prefix: '/' };

/** The area that a path lies in: the first of `areas` that covers it. */
export function areaOf(areas: readonly Area[], path: string): Area {
  return areas.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`)) ?? policyArea;
}

/** How an error looks at this path. */
export function errorsAt(areas: readonly Area[], path: string): ErrorShape {
  return areaOf(areas, path).errors ?? policyErrors;
}
