import type { FactsOptions } from './facts.js';
import { measuredInManyStarts, P1, pairFigures } from './pair.js';
import { startReceiver } from './receivers.js';
import { subscribeServers } from './rules.js';
import { startMirzam, type Target } from './target.js';

/** Time before the measurement. Only one fact in a hundred has spans, so V8 optimizes the code of spans later than the rest. */
const WARM_UP_S = 20;

/** A service with its settings. `name`: in the output. */
interface Setup {
  readonly name: string;
  readonly settings: Record<string, string>;
}

/** Measures the throughput and the CPU time of operation P1 with the audit, as ratios to those without. */
export const measureAudit = (options: FactsOptions): Promise<object> =>
  measureFeature(
    { name: 'with audit', settings: {} },
    { name: 'without', settings: { AUDIT_DAYS: '0' } },
    options,
  );

/** Measures the throughput and the CPU time of operation P1 with 1 % of the facts traced, as ratios to those without traces. */
export async function measureTraces(options: FactsOptions): Promise<object> {
  const collector = await startReceiver((_path, response) => {
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  const traced = {
    TRACING: 'on',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  try {
    return await measureFeature(
      { name: '1 % traced', settings: traced },
      { name: 'without', settings: {} },
      options,
    );
  } finally {
    await collector.stop();
  }
}

async function measureFeature(feature: Setup, baseline: Setup, options: FactsOptions): Promise<object> {
  const started =
    ({ name, settings }: Setup) =>
    async (): Promise<Target> => {
      const target = await startMirzam(name, settings);
      await subscribeServers(target.url);
      return target;
    };
  const operation = { ...P1, warmUpS: WARM_UP_S };
  const ratios = await measuredInManyStarts(operation, started(feature), started(baseline), options);
  return pairFigures(`P1, ${feature.name}`, baseline.name, ratios);
}
