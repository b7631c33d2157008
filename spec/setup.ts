/**
 * What holds for all specs: properties end in time on slow machines, and a run that hangs on to something says so.
 */
import fc from 'fast-check';

/** How long a property tries cases, ms: half of a spec's time. What it could not try then, it says. */
const PROPERTY_MS = 30_000;
/** How long the process may live on after the last spec, ms. */
const END_MS = 20_000;

// Between two cases and not in the middle of one: a case that hangs is for the spec's own time to fail.
fc.installGlobalPlugin(() => {
  const end = performance.now() + PROPERTY_MS;
  return {
    decorateRun: (run) => (value) =>
      performance.now() < end ? run(value) : new fc.PreconditionFailure(true),
    onAllRunsComplete({ interrupted, numRuns }) {
      if (interrupted) console.log(`      ${PROPERTY_MS / 1_000} s were over after ${numRuns} cases`);
    },
  };
});

export const mochaHooks = {
  afterAll(): void {
    setTimeout(() => {
      console.error(`The specs are over, and still open are: ${process.getActiveResourcesInfo().join(', ')}`);
      // Mocha sets the code by what failed, and nothing may have.
      process.once('exit', () => (process.exitCode = 1));
      process.exit();
    }, END_MS).unref();
  },
};
