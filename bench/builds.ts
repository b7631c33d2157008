import { join } from 'node:path';
import type { FactsOptions } from './facts.js';
import { startLedger, L1 } from './ledger-load.js';
import { measuredInManyStarts, type Operation, P1, pairFigures } from './pair.js';
import { PLAIN_RULES, subscribeServers } from './rules.js';
import { startMirzam, type Target } from './target.js';

/** What is measured of two builds. */
export interface BuildsOptions extends Omit<FactsOptions, 'connections'> {
  readonly connections: readonly number[];
  readonly operations: readonly ('P1' | 'L1')[];
}

/** Starts a service for an operation; `script` is its main file. */
type Start = (name: string, script: string | undefined) => Promise<Target>;

const OPERATIONS: Readonly<Record<'P1' | 'L1', { readonly operation: Operation; readonly start: Start }>> = {
  P1: {
    operation: P1,
    async start(name, script) {
      const target = await startMirzam(name, {}, script);
      await subscribeServers(target.url, PLAIN_RULES);
      return target;
    },
  },
  L1: { operation: L1, start: startLedger },
};

/** Measures the throughput and the CPU time of operations as ratios to those of another checkout, which is built. */
export async function measureBuilds(checkout: string, options: BuildsOptions): Promise<object> {
  const figures: Record<string, object> = {};
  for (const name of options.operations) {
    for (const connections of options.connections) {
      const { operation, start } = OPERATIONS[name];
      const ratios = await measuredInManyStarts(
        operation,
        () => start(THIS, undefined),
        () => start(OTHER, join(checkout, 'dist/src/main.js')),
        { ...options, connections },
      );
      const what = `${name}, ${connections} connections, ${THIS}`;
      figures[`${name} ${connections}`] = pairFigures(what, OTHER, ratios);
    }
  }
  return figures;
}

const THIS = 'this build';
const OTHER = 'the other build';
