import { StartError } from '../errors.js';

/**
 * The layout of a store: its tables or fields, and the form of ids. A release that changes it raises the number. The
 * documents have versions of their own, by kind of actor.
 */
export const STORE_FORMAT = 5;
/** The format of a store that has documents and no number. */
export const UNNUMBERED = '1';

/**
 * Throws a `StartError` for a store of another format. `store`: the store in words, the start of a sentence; `setting`: the
 * setting that names it.
 */
export function refuseOtherFormat(found: string | number | undefined, store: string, setting: string): void {
  if (found === undefined || String(found) === String(STORE_FORMAT)) return;
  throw new StartError(
    `${store} is of format ${found}, and this version of Mirzam uses format ${STORE_FORMAT}: start the version that wrote ` +
      `it, or choose another with ${setting}`,
  );
}
