/**
 * Tiers of the specs, by file name:
 *
 * - `*.spec.ts`: needs the repository and its packages only. `npm test` runs this tier.
 * - `*.real.spec.ts`: needs a program that npm does not install (Vault, Keystone, MongoDB, strace, Prometheus, HAProxy,
 *   go-ethereum), or a context broker whose address is in `ORION_TEST_URL` or `SCORPIO_TEST_URL`.
 * - `*.browser.spec.ts`: needs Chromium.
 * - `*.slow.spec.ts`, and all of `spec/faults` but `*.load.spec.ts`: needs several processes or minutes, and waits most of the
 *   time.
 * - `*.load.spec.ts`: compares times, loads or event loops, so it needs the whole machine.
 *
 * `npm run test:all` runs all tiers.
 */

/**
 * The runs of mocha of `npm run test:all`, in order; the first one is that of `npm test`. `atOnce` returns how many files run
 * at once on a number of cores.
 */
const RUNS = [
  // A file waits for two thirds of its time: for a timer, an answer or a start. With fewer at once, cores are idle.
  { tier: 'embedded', atOnce: (cores) => 2 * cores + 4 },
  // The real servers take cores of their own.
  { tier: 'real', atOnce: (cores) => cores },
  // A page and its service take two thirds of a core.
  { tier: 'browser', atOnce: (cores) => cores },
  // A file takes two thirds of a core. After a kill it waits: for a start, the next attempt, or the node that takes over.
  { tier: 'slow', atOnce: (cores) => cores },
  { tier: 'load', atOnce: () => 1 },
];

/** Returns the tier of a spec file, source or compiled, by its path: that of a run. */
export function tierOf(file) {
  const [, named] = /\.(real|browser|slow|load)\.spec\.[jt]s$/.exec(file) ?? [];
  if (named !== 'load' && /(?:^|[\\/])spec[\\/]faults[\\/]/.test(file)) return 'slow';
  return named ?? 'embedded';
}

/** Folders and files with slow specs. They start first, so that the end of the run is short. */
const SLOW =
  /^(?:dist[\\/])?spec[\\/](?:broker|chain|e2e|ledger[\\/](?:blocks|proofs)|main|operator|policy[\\/](?:coming-from|explain|model|server)|scripts|store|tls|tracing|untrusted|wallets)\b/;
/** Files of the tier `slow` that take a minute or more. */
const SLOWEST = /(?:schemathesis|dead-letters|outage|broker-intent|kill-9)\.(?:slow\.)?spec\.[jt]s$/;

/** Returns the runs of mocha in order, each with its files: those of `npm test`, or of `npm run test:all`. */
export function runsOf(files, all) {
  const rank = (file) => Number(SLOW.test(file)) + 2 * Number(SLOWEST.test(file));
  return (all ? RUNS : RUNS.slice(0, 1)).map(({ tier, atOnce }) => ({
    files: files.filter((file) => tierOf(file) === tier).toSorted((a, b) => rank(b) - rank(a)),
    atOnce,
  }));
}
