/**
 * Tiers of the specs, by file name:
 *
 * - `*.spec.ts`: needs the repository and its packages only. `npm test` runs this tier.
 * - `*.real.spec.ts`: needs a program that npm does not install (Vault, Keystone, MongoDB, strace, Chromium, Prometheus).
 * - `*.load.spec.ts`, and all of `spec/faults`: needs the whole machine, or minutes.
 *
 * `npm run test:all` runs all tiers.
 */

/** Returns the tier of a spec file, source or compiled, by its path: `embedded`, `real` or `alone`. */
export function tierOf(file) {
  if (/(?:^|[\\/])spec[\\/]faults[\\/]/.test(file) || /\.load\.spec\.[jt]s$/.test(file)) return 'alone';
  return /\.real\.spec\.[jt]s$/.test(file) ? 'real' : 'embedded';
}

/** Folders and files with slow specs. They start first, so that the end of the run is short. */
const SLOW = /^(?:dist[\\/])?spec[\\/](?:chain|e2e|main|operator|scripts)\b/;

/** Returns the runs of mocha in order: the specs that run in parallel, then those that need the whole machine. */
export function runsOf(files, all) {
  const ofTier = (...tiers) => files.filter((file) => tiers.includes(tierOf(file)));
  const slowFirst = (some) => some.toSorted((a, b) => Number(SLOW.test(b)) - Number(SLOW.test(a)));
  if (!all) return [{ files: slowFirst(ofTier('embedded')), atOnce: true }];
  return [
    { files: slowFirst(ofTier('embedded', 'real')), atOnce: true },
    { files: ofTier('alone'), atOnce: false },
  ];
}
