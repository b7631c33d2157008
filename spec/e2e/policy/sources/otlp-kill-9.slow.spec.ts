import { setTimeout as pause } from 'node:timers/promises';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { expect } from 'chai';
import { freePort } from '../../../../src/system/free-port.js';
import { seeded } from '../../../faults/stage/random.js';
import { launcher } from '../../../faults/stage/service-process.js';
import { apiClient, type ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addSubscribedRule, ALWAYS, okBody, windowSize } from '../actions.js';

/** Number of exports. Every tenth is hit by a kill, at most so late, ms. */
const EXPORTS = 40;
const KILL_MS = 4;
const SEED = 20_261_127;

describe('OpenTelemetry’s SDK, while the service is killed', function () {
  this.timeout(120_000);
  const open = scenes();

  it('has each of its values counted once', async () => {
    const port = await freePort();
    const services = open.keep(await launcher({ PORT: String(port) }), (one) => one.close());
    const random = seeded(SEED);
    let running = await services.start();
    const api: ApiClient = await apiClient(running.url);
    const receiver = await open.receiver();
    await windowSize(api, 100);
    const condition = { cpu: { value: 100, operand: 'greater' } };
    const { ruleId } = await addSubscribedRule(api, 'this-host', receiver.origin, { ...ALWAYS, condition });

    const url = `${running.url}/v1.0/demo/otlp/v1/metrics`;
    // Its own package of metrics is another patch release.
    const made: object = new OTLPMetricExporter({ url });
    const exporter = open.keep(made as PushMetricExporter, (one) => one.shutdown());
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({
      resource: resourceFromAttributes({ 'host.name': 'this-host' }),
      readers: [reader],
    });
    const gauge = provider.getMeter('spec').createGauge('cpu');
    const isExported = (metrics: ResourceMetrics): Promise<boolean> =>
      new Promise((resolve) => exporter.export(metrics, ({ error }) => resolve(error === undefined)));

    let hit = 0;
    for (let value = 1; value <= EXPORTS; value += 1) {
      gauge.record(value);
      const { resourceMetrics } = await reader.collect();
      let isAnswered = false;
      const first = isExported(resourceMetrics).finally(() => (isAnswered = true));
      if (value % 10 === 0) {
        await pause(random() * KILL_MS);
        if (!isAnswered) hit += 1;
        await running.kill('SIGKILL');
        running = await services.start();
      }
      // The exporter repeats a request that failed. What it gives up is exported once more, with the same times.
      for (let taken = await first; !taken; taken = await isExported(resourceMetrics));
    }
    expect(hit, 'exports without an answer when the service was killed').to.be.greaterThan(0);
    const path = `/v1.0/demo/servers/this-host/rules/${ruleId}/explain`;
    const { windows, lastFact } = okBody(await api.call('GET', path)) as unknown as {
      readonly windows: Readonly<Record<string, { readonly values: readonly number[] }>>;
      readonly lastFact: { readonly id: number; readonly source: string };
    };
    expect(windows['cpu']!.values).to.deep.equal(Array.from({ length: EXPORTS }, (_, i) => i + 1));
    expect(lastFact).to.deep.include({ id: EXPORTS, source: 'otlp' });
  });
});
