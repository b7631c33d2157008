/**
 * What holds for all specs: properties end in time, and specs that leave something open fail and say what.
 */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';

/** How long a property tries cases, ms: half of a spec's time. What it could not try then, it says. */
const PROPERTY_MS = 30_000;
/** How long what a spec has opened may live on after the last one, ms. */
const END_MS = 20_000;
/** Whether this is one of several processes, which runs one file after the other. */
const IS_WORKER = process.env['MOCHA_WORKER_ID'] !== undefined;

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

/** What keeps the process alive, by kind. */
const open = (): readonly string[] => process.getActiveResourcesInfo();
/** What connects this process with the one that started it. */
const fromTheStart = open();
/** What bounds a hook that waits. */
const MOCHAS_TIMER = 'Timeout';

/** What is open beside that with which the process began. */
function leftOpen(): readonly string[] {
  const rest = [...fromTheStart, MOCHAS_TIMER];
  return open().filter((kind) => {
    const index = rest.indexOf(kind);
    if (index !== -1) rest.splice(index, 1);
    return index === -1;
  });
}

/** Resolves once nothing is open any more; throws what is after a while. */
async function everythingClosed(what: string): Promise<void> {
  const deadline = performance.now() + END_MS;
  do {
    await pause(1, undefined, { ref: false });
    if (performance.now() > deadline)
      throw new Error(`The specs of ${what} are over, and still open are: ${leftOpen().join(', ')}`);
  } while (leftOpen().length > 0);
}

function sayWhatKeepsTheProcess(): void {
  setTimeout(() => {
    console.error(`The specs are over, and still open are: ${open().join(', ')}`);
    // Mocha sets the code by what failed, and nothing may have.
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
