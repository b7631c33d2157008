import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { expect } from 'chai';
import { reservedPort } from '../../../servers/ports.js';
import { seeded } from '../../../faults/stage/random.js';
import { launcher } from '../../../faults/stage/service-process.js';
import { apiClient, type ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addSubscribedRule, ALWAYS, okBody, windowSize } from '../actions.js';

/** Number of exports. Every tenth is hit by a kill, at most so late, ms. */
const EXPORTS = 40;
const KILL_MS = 4;
const SEED = 20_261_127;

/** Number of exporters that take the next export together, as the consumers of a collector's queue do. */
const CONSUMERS = 4;
/** The exporter repeats a request by itself for so long, ms. Then it is a failure, and waits for later ones. */
const TIMEOUT_MS = 300;
/** A failed export waits until so many later ones were acknowledged. */
const BEHIND = 3;

describe('OpenTelemetry’s SDK, while the service is killed', () => {
  const open = scenes();

  /** Starts a service with a rule of cpu. `kill` kills and restarts it. */
  async function stage() {
    const port = await reservedPort();
    const services = open.keep(await launcher({ PORT: String(port) }), (one) => one.close());
    let running = await services.start();
    const api: ApiClient = await apiClient(running.url);
    const receiver = await open.receiver();
    await windowSize(api, 100);
    const condition = { cpu: { value: 100, operand: 'greater' } };
    const { ruleId } = await addSubscribedRule(api, 'this-host', receiver.origin, { ...ALWAYS, condition });
    const url = `${running.url}/v1.0/demo/otlp/v1/metrics`;
    // Its own package of metrics is another patch release.
    const exporterOf = (options: object = {}): PushMetricExporter =>
      open.keep(new OTLPMetricExporter({ url, ...options }) as object as PushMetricExporter, (one) =>
        one.shutdown(),
      );
    const reader = new PeriodicExportingMetricReader({
      exporter: exporterOf(),
      exportIntervalMillis: 3_600_000,
    });
    const resource = resourceFromAttributes({ 'host.name': 'this-host' });
    const gauge = new MeterProvider({ resource, readers: [reader] }).getMeter('spec').createGauge('cpu');
    const path = `/v1.0/demo/servers/this-host/rules/${ruleId}/explain`;
    return {
      exporterOf,
      /** Measures a value. Each has a time of its own, in ms. */
      measured: async (value: number): Promise<ResourceMetrics> => {
        gauge.record(value);
        for (const before = Date.now(); Date.now() === before;) await nextTurn();
        return (await reader.collect()).resourceMetrics;
      },
      kill: async (): Promise<void> => {
        await running.kill('SIGKILL');
        running = await services.start();
      },
      explained: async () =>
        okBody(await api.call('GET', path)) as unknown as {
          readonly windows: Readonly<Record<string, { readonly values: readonly number[] }>>;
          readonly lastFact: { readonly id: number; readonly source: string };
        },
    };
  }

  const isExported = (exporter: PushMetricExporter, metrics: ResourceMetrics): Promise<boolean> =>
    new Promise((resolve) => exporter.export(metrics, ({ error }) => resolve(error === undefined)));
  const ALL = Array.from({ length: EXPORTS }, (_, i) => i + 1);

  it('has each of its values counted once', async () => {
    const { exporterOf, measured, kill, explained } = await stage();
    const random = seeded(SEED);
    const exporter = exporterOf();
    let hit = 0;
    for (const value of ALL) {
      const metrics = await measured(value);
      let isAnswered = false;
      const first = isExported(exporter, metrics).finally(() => (isAnswered = true));
      if (value % 10 === 0) {
        await pause(random() * KILL_MS);
        if (!isAnswered) hit += 1;
        await kill();
      }
      // The exporter repeats a request that failed. What it gives up is exported once more, with the same times.
      for (let taken = await first; !taken; taken = await isExported(exporter, metrics));
    }
    expect(hit, 'exports without an answer when the service was killed').to.be.greaterThan(0);
    const { windows, lastFact } = await explained();
    expect(windows['cpu']!.values).to.deep.equal(ALL);
    expect(lastFact).to.deep.include({ id: EXPORTS, source: 'otlp' });
  });

  it('has each value of several exporters counted once, in the order of their times, if failed exports come later', async () => {
    const { exporterOf, measured, kill, explained } = await stage();
    const random = seeded(SEED);
    const queue: { readonly value: number; readonly metrics: ResourceMetrics }[] = [];
    for (const value of ALL) queue.push({ value, metrics: await measured(value) });
    const acknowledged: number[] = [];
    let killing: Promise<void> | undefined;
    let kills = 0;
    const consume = async (): Promise<void> => {
      const exporter = exporterOf({ timeoutMillis: TIMEOUT_MS });
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        await killing;
        const answer = isExported(exporter, next.metrics);
        if (next.value % 10 === 5 && kills < next.value / 10) {
          kills += 1;
          killing = pause(random() * KILL_MS).then(kill);
        }
        if (await answer) acknowledged.push(next.value);
        else queue.splice(BEHIND, 0, next);
      }
    };
    await Promise.all(Array.from({ length: CONSUMERS }, consume));
    const late = acknowledged.filter((value, i) => acknowledged.slice(0, i).some((one) => one > value));
    expect(late.length, 'values that were acknowledged after later ones').to.be.greaterThan(0);
    const { windows, lastFact } = await explained();
    expect(windows['cpu']!.values).to.deep.equal(ALL);
    expect(lastFact).to.deep.include({ id: EXPORTS, source: 'otlp' });
  });
});
