import { StartError } from '../errors.js';

/**
 * The layout of a store: its tables or fields, and the form of ids. A release that changes it raises the number. The
 * documents have versions of their own, by kind of actor.
 */
export const STORE_FORMAT = { lmdb: 6, mongo: 5 } as const;
/** The format of an embedded store that has no counts. The start adds them, and makes it one of the present format. */
export const COUNTLESS = '5';
/** The format of a store that has documents and no number. */
export const UNNUMBERED = '1';

/**
 * Throws a `StartError` for a store of another format than these, the present one last. `store`: the store in words, the start of a
 * sentence; `setting`: the setting that names it.
 */
export function refuseOtherFormat(
  found: string | number | undefined,
  formats: readonly (string | number)[],
  { store, setting }: { readonly store: string; readonly setting: string },
): void {
  if (found === undefined || formats.map(String).includes(String(found))) return;
  throw new StartError(
    `${store} is of format ${found}, and this version of Mirzam uses format ${formats.at(-1)}: start the version that wrote ` +
      `it, or choose another with ${setting}`,
  );
}
