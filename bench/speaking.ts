import type { FactsOptions } from './facts.js';
import { measuredPair, P1, pairFigures } from './pair.js';
import { PLAIN_RULES, SPEAKING_RULES, watchServers } from './rules.js';
import { startMirzam } from './target.js';

/** Measures the throughput of operation P1 with rules that say when they speak, as a ratio to that with plain rules. */
export async function measureSpeaking(options: FactsOptions): Promise<object> {
  const speaking = await startMirzam('with any, clear, for and resolve');
  const plain = await startMirzam('plain rules');
  try {
    await watchServers(speaking.url, SPEAKING_RULES);
    await watchServers(plain.url, PLAIN_RULES);
    const ratios = await measuredPair(P1, speaking, plain, options);
    return pairFigures(`P1, ${speaking.name}`, plain.name, ratios);
  } finally {
    await Promise.all([speaking.stop(), plain.stop()]);
  }
}
