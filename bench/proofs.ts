import { setTimeout as pause } from 'node:timers/promises';
import type { FactsOptions } from './facts.js';
import { L1, startLedger } from './ledger-load.js';
import { measuredPair, type Operation, pairFigures } from './pair.js';
import type { Target } from './target.js';

/** Time that a service has to make the proofs of a run before the other one is measured, ms. */
const CATCH_UP_MS = 6_000;

/** L1, and the time for the proofs of what it recorded: the CPU that they take counts, and the other service has a quiet machine. */
const OPERATION: Operation = {
  ...L1,
  async load(target, options) {
    const done = await L1.load(target, options);
    await pause(CATCH_UP_MS);
    return done;
  },
};

/** Measures L1 with LEDGER_PROOFS=always as ratios to LEDGER_PROOFS=demand. */
export async function measureProofs(options: FactsOptions): Promise<object> {
  const targets: Target[] = [];
  try {
    for (const LEDGER_PROOFS of ['always', 'demand'])
      targets.push(await startLedger(LEDGER_PROOFS, undefined, { LEDGER_PROOFS }));
    const [always, demand] = targets as [Target, Target];
    const ratios = await measuredPair(OPERATION, always, demand, options);
    const what = `L1, ${options.connections} connections, proofs always`;
    return pairFigures(what, 'proofs on demand', ratios);
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
  }
}
