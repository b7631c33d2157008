/**
 * Which specs run when. A file's name says it:
 *
 * - `*.spec.ts`: on parts that are in the repository and its packages. `npm test` runs these.
 * - `*.real.spec.ts`: needs a program that npm does not install (Vault, Keystone, MongoDB, strace).
 * - `*.load.spec.ts`, and all of `spec/faults`: needs the machine for itself, or minutes.
 *
 * `npm run test:all` runs every one.
 */

/** The tier of a spec file, source or compiled, by its path: `embedded`, `real` or `alone`. */
export function tierOf(file) {
  if (/(?:^|[\\/])spec[\\/]faults[\\/]/.test(file) || /\.load\.spec\.[jt]s$/.test(file)) return 'alone';
  return /\.real\.spec\.[jt]s$/.test(file) ? 'real' : 'embedded';
}

/** Folders and files whose specs wait long. They begin first, so that none is left over at the end. */
const SLOW = /^(?:dist[\\/])?spec[\\/](?:chain|e2e|main|operator|scripts)\b/;

/**
 * The runs of mocha, one after the other: the specs that share the machine, several files at once, then those that
 * need it for themselves.
 */
export function runsOf(files, all) {
  const ofTier = (...tiers) => files.filter((file) => tiers.includes(tierOf(file)));
  const slowFirst = (some) => some.toSorted((a, b) => Number(SLOW.test(b)) - Number(SLOW.test(a)));
  if (!all) return [{ files: slowFirst(ofTier('embedded')), atOnce: true }];
  return [
    { files: slowFirst(ofTier('embedded', 'real')), atOnce: true },
    { files: ofTier('alone'), atOnce: false },
  ];
}
