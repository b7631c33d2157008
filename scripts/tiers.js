/**
 * Tiers of the specs, by file name:
 *
 * - `*.spec.ts`: needs the repository and its packages only. `npm test` runs this tier.
 * - `*.real.spec.ts`: needs a program that npm does not install (Vault, Keystone, MongoDB, strace, Prometheus, HAProxy), or a
 *   context broker whose address is in `ORION_TEST_URL` or `SCORPIO_TEST_URL`.
 * - `*.browser.spec.ts`: needs Chromium, which takes several cores.
 * - `*.load.spec.ts`, and all of `spec/faults`: needs the whole machine, or minutes.
 *
 * `npm run test:all` runs all tiers.
 */

/** Returns the tier of a spec file, source or compiled, by its path: `embedded`, `real`, `browser` or `alone`. */
export function tierOf(file) {
  if (/(?:^|[\\/])spec[\\/]faults[\\/]/.test(file) || /\.load\.spec\.[jt]s$/.test(file)) return 'alone';
  return /\.(real|browser)\.spec\.[jt]s$/.exec(file)?.[1] ?? 'embedded';
}

/** Folders and files with slow specs. They start first, so that the end of the run is short. */
const SLOW =
  /^(?:dist[\\/])?spec[\\/](?:chain|e2e|main|operator|scripts|policy[\\/](?:coming-from|explain|model))\b/;

/**
 * Returns the runs of mocha in order: the specs that run in parallel, those in a browser, then those that need the whole
 * machine. `perCore`: files that run at once, for each core; undefined: one after the other.
 */
export function runsOf(files, all) {
  const ofTier = (...tiers) => files.filter((file) => tiers.includes(tierOf(file)));
  const slowFirst = (some) => some.toSorted((a, b) => Number(SLOW.test(b)) - Number(SLOW.test(a)));
  // Many specs wait for a timer or an answer.
  if (!all) return [{ files: slowFirst(ofTier('embedded')), perCore: 2 }];
  return [
    // Several specs need an answer in time, and the real servers take a core of their own.
    { files: slowFirst(ofTier('embedded', 'real')), perCore: 1 },
    { files: ofTier('browser'), perCore: 0.5 },
    { files: ofTier('alone'), perCore: undefined },
  ];
}
