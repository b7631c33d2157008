/**
 * Rules for all specs: properties end in time; specs that leave resources open fail and name them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { config } from 'chai';
import fc from 'fast-check';

/** Time limit of a property, ms: a twentieth of a spec's. A property that reaches it prints the number of its cases. */
const PROPERTY_MS = 30_000;
/** Time that resources have to close after the last spec, ms. */
const END_MS = 60_000;
/** True in a worker process of a parallel run, which runs one file after the other. */
const IS_WORKER = process.env['MOCHA_WORKER_ID'] !== undefined;

// The proxies of chai throw for an assertion that does not exist, such as `to.be.ture`. The compiler refuses it too. Without
// proxies an assertion takes a quarter of the time.
config.useProxy = false;

// The limit applies between two cases: a case that hangs fails by the spec's time limit.
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

/** Returns the resources that keep the process alive, by kind. */
const open = (): readonly string[] => process.getActiveResourcesInfo();
/** Open resources that are no fault of the next file: those that connect this process with its parent, and reported ones. */
const known = [...open()];
/** Timer of a waiting hook. */
const MOCHAS_TIMER = 'Timeout';

/** Returns the open resources that are not known. */
function leftOpen(): readonly string[] {
  const rest = [...known, MOCHAS_TIMER];
  return open().filter((kind) => {
    const index = rest.indexOf(kind);
    if (index !== -1) rest.splice(index, 1);
    return index === -1;
  });
}

/** Resolves once all resources are closed. Throws after the time limit, with their names. Reports each once. */
async function everythingClosed(what: string): Promise<void> {
  const deadline = performance.now() + END_MS;
  do {
    await pause(1, undefined, { ref: false });
    if (performance.now() > deadline) {
      const left = leftOpen();
      known.push(...left);
      throw new Error(`The specs of ${what} are over, and still open are: ${left.join(', ')}`);
    }
  } while (leftOpen().length > 0);
}

function sayWhatKeepsTheProcess(): void {
  setTimeout(() => {
    console.error(`The specs are over, and still open are: ${open().join(', ')}`);
    // Mocha sets the exit code by its failures, and there may be none.
    process.once('exit', () => (process.exitCode = 1));
    process.exit();
  }, END_MS).unref();
}

export const mochaHooks = {
  afterAll(this: Mocha.Context): Promise<void> | void {
    if (!IS_WORKER) return sayWhatKeepsTheProcess();
    const { suites } = this.test!.parent!;
    return everythingClosed(suites.map(({ title }) => title).join(', '));
  },
};
