import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { reservedPort } from '../../../servers/ports.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { launcher } from '../../../faults/stage/service-process.js';
import { specNodeExporter } from '../../../servers/node-exporter.js';
import { type Prometheus, specPrometheus } from '../../../servers/prometheus.js';
import { apiClient, type ApiClient } from '../../api-client.js';
import { scenes } from '../../scene.js';
import { addRule, ALWAYS, okBody, subscribe, windowSize, windowValues } from '../actions.js';

const PAGE = readFileSync(new URL('../../../../../docs/sources.md', import.meta.url), 'utf8');
/** The files of the section about Prometheus. */
const [RULES = '', CONFIG = ''] = [...PAGE.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = '']) => text);
/** The configuration with the line for `FACTS_AUTH=key`. */
const WITH_KEY = CONFIG.replace('# authorization:', 'authorization:');

/** Time of scraping, s. The kill is in the middle. */
const SECONDS = Number(process.env['SOURCES_SECONDS'] ?? '20');
const SERVERS = ['web-1:9100', 'web-2:9100', 'web-3:9100'];
const METRICS = ['cpu', 'mem'];
/** Size of the windows: they hold all samples. */
const WINDOW = 1_000;
const KEY = 'a-key-of-facts-for-the-specs';

/** Waits until Prometheus has found no exporter: all of its scrapes before are over. */
function foundNone(prometheus: Prometheus): Promise<true> {
  return eventually(
    async () => {
      const { result } = (await prometheus.ask('query?query=up')) as {
        readonly result: readonly { readonly value: readonly [number, string] }[];
      };
      return result.every(({ value }) => value[1] === '0') ? true : undefined;
    },
    SOON_MS,
    () => 'its exporter is still up',
  );
}

/** The samples of a series that Prometheus has: the value by the time, s since the epoch. Stale markers are none of them. */
async function samplesOf(
  prometheus: Prometheus,
  metric: string,
  instance: string,
): Promise<ReadonlyMap<number, number>> {
  const query = encodeURIComponent(`${metric}{instance="${instance}"}[10m]`);
  const { result } = (await prometheus.ask(`query?query=${query}`)) as {
    readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[];
  };
  expect(result.length, `series of ${metric} of ${instance}`).to.be.at.most(1);
  return new Map((result[0]?.values ?? []).map(([at, value]) => [at, Number(value)]));
}

/** Returns the values of a series that any of them has, the oldest first. */
async function valuesOf(
  all: readonly Prometheus[],
  metric: string,
  instance: string,
): Promise<readonly number[]> {
  const found = await Promise.all(all.map((one) => samplesOf(one, metric, instance)));
  for (const { size } of found) expect(size).to.be.at.least(SECONDS - 2);
  const samples = found.flatMap((one) => [...one]);
  return samples.toSorted(([a], [b]) => a - b).map(([, value]) => value);
}

describe('a Prometheus that writes to the service', function () {
  this.timeout((SECONDS + 600) * 1_000);
  const open = scenes();
  const tools = specPrometheus();

  for (const [title, replicas] of [
    ['has each of its samples counted once, over a kill -9 of the service', 1],
    ['has each of its samples counted once beside a replica, over a kill -9 of the service', 2],
  ] as const)
    it(title, async () => {
      const settings = { FACTS_AUTH: 'key', FACTS_KEY: KEY, WINDOW_MAX: String(WINDOW) };
      const services = open.keep(await launcher({ ...settings, PORT: String(await reservedPort()) }), (one) =>
        one.close(),
      );
      let service = await services.start();
      const { token } = await apiClient(service.url);
      const api: ApiClient = { token, call: async (...args) => (await apiClient(service.url)).call(...args) };
      const receiver = await open.receiver();
      await windowSize(api, WINDOW);
      const rule = {
        ...ALWAYS,
        condition: Object.fromEntries(METRICS.map((metric) => [metric, { value: 100, operand: 'greater' }])),
      };
      const rules = new Map<string, string>();
      for (const server of SERVERS) {
        const ruleId = await addRule(api, server, rule);
        rules.set(server, ruleId);
        await subscribe(api, server, ruleId, receiver.origin);
      }

      // Each scrape has values that no other has.
      let scrapes = 0;
      const scrapesOf = Array.from({ length: replicas }, () => 0);
      const exporter = await open.receiver((response, { url }) => {
        scrapes += 1;
        scrapesOf[Number(new URL(url, exporter.origin).searchParams.get('replica'))]! += 1;
        const lines = SERVERS.flatMap((server) =>
          METRICS.map((metric, i) => `${metric}{instance="${server}"} ${i * 40 + scrapes / 100}\n`),
        );
        response.setHeader('content-type', 'text/plain; version=0.0.4').end(lines.join(''));
      });
      const folder = await open.folder();
      await writeFile(join(folder, 'key'), KEY);
      const all: Prometheus[] = [];
      for (let replica = 0; replica < replicas; replica += 1) {
        const config = join(folder, `prometheus-${replica}.yml`);
        await writeFile(
          config,
          `
global: {scrape_interval: 1s, external_labels: {replica: "${replica}"}}
scrape_configs: [{job_name: node, honor_labels: true, params: {replica: ["${replica}"]}, static_configs: [{targets: ["${new URL(exporter.origin).host}"]}]}]
remote_write:
  - url: ${service.url}/v1.0/demo/remote-write
    authorization: {credentials_file: ${join(folder, 'key')}}
    queue_config: {batch_send_deadline: 500ms, max_backoff: 500ms, min_shards: 2}
    write_relabel_configs: [{source_labels: [__name__], regex: "cpu|mem", action: keep}]
`,
        );
        all.push(
          open.keep(await tools().start(config, join(folder, `data-${replica}`)), (one) => one.stop()),
        );
      }

      const hasScraped = (seconds: number) =>
        eventually(
          () => (scrapesOf.every((count) => count >= seconds) ? true : undefined),
          seconds * 1_000 + SOON_MS,
          () => `${scrapesOf.join()} scrapes`,
        );
      await hasScraped(Math.floor(SECONDS / 2));
      await service.kill('SIGKILL');
      await hasScraped(Math.floor(SECONDS / 2) + 2);
      service = await services.start();
      await hasScraped(SECONDS);
      await exporter.stop();
      await Promise.all(all.map(foundNone));

      for (const server of SERVERS) {
        for (const metric of METRICS) {
          const samples = await valuesOf(all, metric, server);
          const counted = async () => (await windowValues(api, server, rules.get(server)!))[metric]!;
          await eventually(
            async () => ((await counted()).length >= samples.length ? true : undefined),
            SOON_MS,
            async () => `${metric} of ${server}: ${(await counted()).length} of ${samples.length} samples`,
          );
          expect(await counted(), `${metric} of ${server}`).to.deep.equal(samples);
        }
      }
      console.log(
        `      ${SECONDS} s: ${scrapes} scrapes of ${SERVERS.length * METRICS.length} series, all counted once`,
      );
    });
});

/** Writes the files of the page, changed for a spec, into a folder. Returns the file of the configuration. */
async function written(folder: string, config: string): Promise<string> {
  const rules = RULES.replace('interval: 15s', 'interval: 1s').replaceAll('[1m]', '[5s]');
  const file = join(folder, 'prometheus.yml');
  await writeFile(join(folder, 'mirzam-key'), KEY);
  await writeFile(join(folder, 'mirzam-rules.yml'), rules);
  await writeFile(file, config);
  return file;
}

describe('the recording rules of docs/sources.md', () => {
  const open = scenes();
  const tools = specPrometheus();

  it('make the percentages of the four metrics, and pass promtool', async () => {
    const folder = await open.folder();
    expect(WITH_KEY).not.to.equal(CONFIG);
    for (const one of [CONFIG, WITH_KEY]) {
      const config = await written(folder, one);
      expect(tools().promtool(['check', 'config', config])).to.deep.include({ status: 0 });
    }
    await writeFile(join(folder, 'as-written.yml'), RULES);
    const test = join(folder, 'test.yml');
    const labels = 'instance="a",job="node"';
    const series = (name: string, values: string) => ({
      series: name.endsWith('}') ? `${name.slice(0, -1)},${labels}}` : `${name}{${labels}}`,
      values,
    });
    await writeFile(
      test,
      JSON.stringify({
        rule_files: ['as-written.yml'],
        evaluation_interval: '15s',
        tests: [
          {
            interval: '15s',
            input_series: [
              // Of two CPUs one idles, and the other for a half.
              series('node_cpu_seconds_total{cpu="0",mode="idle"}', '0+15x20'),
              series('node_cpu_seconds_total{cpu="1",mode="idle"}', '0+7.5x20'),
              series('node_cpu_seconds_total{cpu="1",mode="user"}', '0+7.5x20'),
              series('node_memory_MemAvailable_bytes', '30x20'),
              series('node_memory_MemTotal_bytes', '120x20'),
              series('node_filesystem_avail_bytes{fstype="ext4",mountpoint="/"}', '60x20'),
              series('node_filesystem_size_bytes{fstype="ext4",mountpoint="/"}', '100x20'),
              series('node_filesystem_avail_bytes{fstype="ext4",mountpoint="/data"}', '10x20'),
              series('node_filesystem_size_bytes{fstype="ext4",mountpoint="/data"}', '100x20'),
              series('node_filesystem_avail_bytes{fstype="tmpfs",mountpoint="/run"}', '0x20'),
              series('node_filesystem_size_bytes{fstype="tmpfs",mountpoint="/run"}', '100x20'),
              series('node_network_receive_bytes_total{device="eth0"}', '0+1500x20'),
              series('node_network_transmit_bytes_total{device="eth0"}', '0+3000x20'),
              series('node_network_speed_bytes{device="eth0"}', '1000x20'),
              series('node_network_receive_bytes_total{device="eth1"}', '0+4500x20'),
              series('node_network_transmit_bytes_total{device="eth1"}', '0+300x20'),
              series('node_network_speed_bytes{device="eth1"}', '1000x20'),
              series('node_network_receive_bytes_total{device="lo"}', '0+15000x20'),
              series('node_network_transmit_bytes_total{device="lo"}', '0+15000x20'),
              series('node_network_speed_bytes{device="lo"}', '1000x20'),
            ],
            promql_expr_test: [
              ['mirzam:cpu', 25],
              ['mirzam:mem', 75],
              ['mirzam:hdd', 90],
              ['mirzam:net', 30],
            ].map(([expr, value]) => ({
              expr,
              eval_time: '4m',
              exp_samples: [{ labels: `${expr}{instance="a"}`, value }],
            })),
          },
        ],
      }),
    );
    const { status, output } = tools().promtool(['test', 'rules', test]);
    expect(status, output).to.equal(0);
  });
});

describe('a node exporter', () => {
  const open = scenes();
  const tools = specPrometheus();
  const nodeExporter = specNodeExporter();

  it('brings cpu, mem and hdd to the service with the files of docs/sources.md, and nothing else', async () => {
    const { url, api } = await open.service({ FACTS_AUTH: 'key', FACTS_KEY: KEY });
    const { host: node } = open.keep(await nodeExporter(), (one) => one.stop());
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const metrics = ['cpu', 'mem', 'hdd'];
    const condition = Object.fromEntries(
      metrics.map((metric) => [metric, { value: 0, operand: 'greater equal' }]),
    );
    const ruleId = await addRule(api, node, { ...ALWAYS, condition });
    await subscribe(api, node, ruleId, receiver.origin);
    const folder = await open.folder();
    const config = await written(
      folder,
      WITH_KEY.replace('scrape_interval: 15s', 'scrape_interval: 1s')
        .replace('targets: ["web-1:9100", "web-2:9100"]', `targets: ["${node}"]`)
        .replace('http://localhost:8080', url),
    );
    const prometheus = await tools().start(config, join(folder, 'data'));
    open.keep(prometheus, (one) => one.stop());
    const windows = await eventually(
      async () => {
        const found = await windowValues(api, node, ruleId);
        return metrics.every((metric) => found[metric]!.length > 0) ? found : undefined;
      },
      SOON_MS,
      async () => JSON.stringify(await windowValues(api, node, ruleId)),
    );
    for (const metric of metrics) expect(windows[metric]![0]).to.be.within(0, 100);
    const { sources } = okBody(await api.call('GET', '/v1.0/demo/sources')) as unknown as {
      readonly sources: readonly { readonly leftOut: readonly { readonly why: string }[] }[];
    };
    expect(sources[0]!.leftOut.filter(({ why }) => why !== 'not a number')).to.deep.equal([]);
  });
});
