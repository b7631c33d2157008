import { join } from 'node:path';
import type { FactsOptions } from './facts.js';
import { startLedger, L1 } from './ledger-load.js';
import { measuredPair, type Operation, P1, pairFigures, type PairRatios } from './pair.js';
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

/**
 * Measures the throughput and the CPU time of operations as ratios to those of another checkout, which is built. Both builds
 * start anew after half of the rounds, in the other order: the same build twice differs by the order of the starts.
 */
export async function measureBuilds(checkout: string, options: BuildsOptions): Promise<object> {
  const figures: Record<string, object> = {};
  for (const name of options.operations) {
    for (const connections of options.connections) {
      const ratios = await ofBuilds(OPERATIONS[name], checkout, { ...options, connections });
      const what = `${name}, ${connections} connections, ${THIS}`;
      figures[`${name} ${connections}`] = pairFigures(what, OTHER, ratios);
    }
  }
  return figures;
}

const THIS = 'this build';
const OTHER = 'the other build';

async function ofBuilds(
  { operation, start }: (typeof OPERATIONS)['P1'],
  checkout: string,
  options: FactsOptions,
): Promise<PairRatios> {
  const half = Math.ceil(options.rounds / 2);
  const starts: (() => Promise<Target>)[] = [
    () => start(THIS, undefined),
    () => start(OTHER, join(checkout, 'dist/src/main.js')),
  ];
  const first = await inOrder(starts, ([one, other]) =>
    measuredPair(operation, one!, other!, { ...options, rounds: half }),
  );
  const second = await inOrder(starts.toReversed(), ([other, one]) =>
    measuredPair(operation, one!, other!, { ...options, rounds: options.rounds - half }),
  );
  return {
    ratios: [...first.ratios, ...second.ratios],
    cpuRatios: [...first.cpuRatios, ...second.cpuRatios],
  };
}

/** Starts services in order, and stops them after `use`. */
async function inOrder<T>(
  starts: readonly (() => Promise<Target>)[],
  use: (targets: readonly Target[]) => Promise<T>,
): Promise<T> {
  const targets: Target[] = [];
  try {
    for (const start of starts) targets.push(await start());
    return await use(targets);
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
  }
}
