import { join } from 'node:path';
import type { FactsOptions } from './facts.js';
import { measurePair } from './pair.js';
import { PLAIN_RULES, watchServers } from './rules.js';
import { startMirzam } from './target.js';

/** Measures the throughput of operation P1 as a ratio to that of another checkout, which is built. */
export async function measureBuilds(checkout: string, options: FactsOptions): Promise<object> {
  const targets = [await startMirzam('this build')];
  try {
    targets.push(await startMirzam('the other build', {}, join(checkout, 'dist/src/main.js')));
    for (const { url } of targets) await watchServers(url, PLAIN_RULES);
    return await measurePair(targets[0]!, targets[1]!, options);
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
  }
}
