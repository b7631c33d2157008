import type { FactsOptions } from './facts.js';
import { measuredPair, P1, pairFigures } from './pair.js';
import { startReceiver } from './receivers.js';
import { subscribeServers } from './rules.js';
import { startMirzam } from './target.js';

/** Share of the requests that are traced. */
const SHARE = '0.01';
/** The work for a span comes a hundred times as seldom as the other: V8 optimizes it later. */
const WARM_UP_S = 20;

/** Measures the throughput and the CPU time of operation P1 with a hundredth traced, as ratios to those without traces. */
export async function measureTraces(options: FactsOptions): Promise<object> {
  let exports = 0;
  const collector = await startReceiver((_path, response) => {
    exports += 1;
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  const without = await startMirzam('without traces');
  const traced = await startMirzam('1 % traced', {
    TRACING: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: SHARE,
  });
  try {
    for (const { url } of [without, traced]) await subscribeServers(url);
    const ratios = await measuredPair({ ...P1, warmUpS: WARM_UP_S }, traced, without, options);
    return { ...pairFigures(`P1, ${traced.name}`, without.name, ratios), exports };
  } finally {
    await Promise.all([without.stop(), traced.stop()]);
    await collector.stop();
  }
}
