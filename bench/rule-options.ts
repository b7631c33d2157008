import type { FactsOptions } from './facts.js';
import { measuredPair, P1, pairFigures } from './pair.js';
import { PLAIN_RULES, OPTION_RULES, subscribeServers } from './rules.js';
import { startMirzam } from './target.js';

/** Measures the throughput of operation P1 with rules that have options, as a ratio to that with plain rules. */
export async function measureRuleOptions(options: FactsOptions): Promise<object> {
  const withOptions = await startMirzam('with any, clear, for and resolve');
  const plain = await startMirzam('plain rules');
  try {
    await subscribeServers(withOptions.url, OPTION_RULES);
    await subscribeServers(plain.url, PLAIN_RULES);
    const ratios = await measuredPair(P1, withOptions, plain, options);
    return pairFigures(`P1, ${withOptions.name}`, plain.name, ratios);
  } finally {
    await Promise.all([withOptions.stop(), plain.stop()]);
  }
}
