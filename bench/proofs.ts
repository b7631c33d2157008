import { setTimeout as pause } from 'node:timers/promises';
import type { FactsOptions } from './facts.js';
import { L1, startLedger } from './ledger-load.js';
import { measuredPair, type Operation, pairFigures } from './pair.js';
import type { Target } from './target.js';

const POLL_MS = 500;
/** Longest time that the blocks of a run may take until all are final and proven, ms. */
const CATCH_UP_MS = 120_000;

/**
 * L1, and the time until its blocks are final and proven: the CPU that the proofs take counts, and the other service has a quiet
 * machine. Blocks wait for their proofs while a load lasts, so a long run takes longer afterwards.
 */
const OPERATION: Operation = {
  ...L1,
  async load(target, options) {
    const done = await L1.load(target, options);
    const end = performance.now() + CATCH_UP_MS;
    while (await watchesBlocks(target)) {
      if (performance.now() > end) throw new Error(`${target.name}: blocks are not proven`);
      await pause(POLL_MS);
    }
    return done;
  },
};

/** Measures L1 with LEDGER_PROOFS=always as ratios to LEDGER_PROOFS=demand. */
export async function measureProofs(options: FactsOptions): Promise<object> {
  const targets: Target[] = [];
  try {
    for (const LEDGER_PROOFS of ['always', 'demand'])
      // No block follows the last ones of a run: they are final without one.
      targets.push(await startLedger(LEDGER_PROOFS, undefined, { LEDGER_PROOFS, LEDGER_FINALITY: '1' }));
    const [always, demand] = targets as [Target, Target];
    const ratios = await measuredPair(OPERATION, always, demand, options);
    const what = `L1, ${options.connections} connections, proofs always`;
    return pairFigures(what, 'proofs on demand', ratios);
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
  }
}

/** True while the service has blocks that are not final, or not proven. */
async function watchesBlocks({ url }: Target): Promise<boolean> {
  const answer = await fetch(`${url}/operator/actors?kind=block&limit=1`);
  const { actors } = (await answer.json()) as { readonly actors: readonly unknown[] };
  return actors.length > 0;
}
