import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseDocument } from 'yaml';
import { runRules } from '../command/rules/rules-stage.js';
import { okBody, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { specPrometheus } from '../servers/prometheus.js';

const ALERTS = readFileSync(new URL('../../../examples/prometheus-alerts.yml', import.meta.url), 'utf8');
/** The server whose values are bad for a time, and one whose values never are. */
const [BAD, GOOD] = ['web-1', 'web-2'];

/** Returns what the exporter shows of a server after `s` seconds, of which its values were bad for `badS`. */
function exposition(server: string, isBad: boolean, s: number, badS: number): string {
  const counted = s - badS;
  const bad = (one: number, other: number): number => (isBad ? one : other);
  const values: Readonly<Record<string, number>> = {
    'node_cpu_seconds_total{cpu="0",mode="idle"': counted,
    'node_cpu_seconds_total{cpu="0",mode="user"': badS,
    'node_memory_MemAvailable_bytes{': bad(5, 50),
    'node_memory_MemTotal_bytes{': 100,
    'node_filesystem_avail_bytes{mountpoint="/",fstype="ext4"': bad(3, 50),
    'node_filesystem_size_bytes{mountpoint="/",fstype="ext4"': 100,
    'node_filesystem_avail_bytes{mountpoint="/tmp",fstype="tmpfs"': 0,
    'node_filesystem_size_bytes{mountpoint="/tmp",fstype="tmpfs"': 100,
    'node_filesystem_files_free{device="a",mountpoint="/"': bad(2, 50),
    'node_filesystem_files{device="a",mountpoint="/"': 100,
    'node_filesystem_readonly{device="a",mountpoint="/"': 0,
    // Full, but nobody can write there.
    'node_filesystem_files_free{device="b",mountpoint="/cd"': 0,
    'node_filesystem_files{device="b",mountpoint="/cd"': 100,
    'node_filesystem_readonly{device="b",mountpoint="/cd"': 1,
    'node_load15{': bad(5, 0.5),
    'node_timex_offset_seconds{': bad(0.1 + s / 1_000, 0),
    'up{': bad(0, 1),
    'node_hwmon_temp_celsius{sensor="1"': bad(90, 40),
    'node_hwmon_temp_max_celsius{sensor="1"': 80,
    'node_systemd_unit_state{name="a",state="failed"': bad(1, 0),
    'node_systemd_unit_state{name="b",state="failed"': 0,
    'node_network_receive_errs_total{device="eth0"': badS * 10,
    'node_network_receive_packets_total{device="eth0"': s * 100,
    'node_vmstat_pswpout{': bad(5, 0),
  };
  const lines = Object.entries(values).map(
    ([name, value]) => `${name}${name.endsWith('{') ? '' : ','}instance="${server}"} ${value}\n`,
  );
  return lines.join('');
}

describe('alerts of Prometheus and the rules that mirzam rules import makes of them', () => {
  const open = scenes();
  const tools = specPrometheus();

  it('fire for the same servers at the same time, of values that a Prometheus writes', async () => {
    const folder = await open.folder();
    const path = (name: string): string => join(folder, name);
    // Nothing is held or kept, and rates are those of the last seconds.
    const quick = ALERTS.replaceAll(/\[\dm\]/g, '[4s]').replaceAll(/^ +(?:keep_firing_)?for: .+\n/gm, '');
    await writeFile(path('alerts.yml'), quick);
    const { out } = await runRules(
      ['import', '--prometheus', path('alerts.yml'), '--recording-rules', path('mirzam.yml')],
      {},
    );
    const setting = /METRICS="(.+)"/.exec(out)![1]!;
    const regex = /^#   regex: "(.+)"$/m.exec(out)![1]!;

    const { url, api } = await open.service({ METRICS: setting, WINDOW_GAP_S: '0' });
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const file = parseDocument(out);
    const rules = (file.toJS() as { readonly rules: readonly { readonly name: string }[] }).rules;
    for (const i of rules.keys())
      file.setIn(['rules', i, 'subscriptions'], [{ servers: [BAD, GOOD], url: receiver.origin }]);
    await writeFile(path('rules.yaml'), String(file));
    const credentials = { MIRZAM_TENANT: 'demo', MIRZAM_USER: 'demo', MIRZAM_PASSWORD: 'demo' };
    const applied = await runRules(['apply', path('rules.yaml')], { MIRZAM_URL: url, ...credentials });
    expect(applied.err).to.equal('');

    const begun = performance.now();
    let [badSince, badS] = [0, 0];
    const exporter = await open.receiver((response) => {
      const s = (performance.now() - begun) / 1_000;
      const lastingS = badSince === 0 ? badS : badS + s - badSince;
      const body = exposition(BAD, badSince > 0, s, lastingS) + exposition(GOOD, false, s, 0);
      response.setHeader('content-type', 'text/plain; version=0.0.4').end(body);
    });
    const target = new URL(exporter.origin).host;
    await writeFile(
      path('prometheus.yml'),
      `
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [alerts.yml, mirzam.yml]
scrape_configs: [{job_name: node, honor_labels: true, static_configs: [{targets: ["${target}"]}]}]
remote_write:
  - url: ${url}/v1.0/demo/remote-write
    queue_config: {batch_send_deadline: 200ms}
    write_relabel_configs:
      - {source_labels: [__name__], regex: "mirzam:(.+)", target_label: __name__}
      - {source_labels: [__name__], regex: "${regex}", action: keep}
`,
    );
    expect(tools().promtool(['check', 'config', path('prometheus.yml')]).status).to.equal(0);
    const prometheus = await tools().start(path('prometheus.yml'), path('data'));
    open.keep(prometheus, (one) => one.stop());

    const ids = new Map(
      (okBody(await api.call('GET', '/v1.0/demo/rules'))['rules'] as unknown as readonly Named[]).map(
        ({ name, ruleId }) => [name, ruleId],
      ),
    );
    /** The servers of each rule in a state. */
    const here = async (state: string): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const [name, ruleId] of ids)
        for (const server of [BAD, GOOD]) {
          const explained = await api.call('GET', `/v1.0/demo/servers/${server}/rules/${ruleId}/explain`);
          const { subscriptions } = okBody(explained) as unknown as Explained;
          if (subscriptions[0]!.state === state) found.push(`${name} ${server}`);
        }
      return found.toSorted();
    };
    const there = async (): Promise<readonly string[]> => {
      const { alerts } = (await prometheus.ask('alerts')) as { readonly alerts: readonly FiringAlert[] };
      return alerts
        .filter(({ labels }) => labels.instance === BAD || labels.instance === GOOD)
        .map(({ labels: { alertname, severity, instance } }) => {
          const isSecond = alertname === 'InodesLow' && severity === 'critical';
          return `${alertname}${isSecond ? ' (critical)' : ''} ${instance}`;
        })
        .toSorted();
    };
    const same = (wanted: readonly string[]) =>
      eventually(
        async () => {
          const [rule, alert] = [await here('firing'), await there()];
          return String(rule) === String(wanted) && String(alert) === String(wanted) ? true : undefined;
        },
        SOON_MS,
        async () => `rules: ${(await here('firing')).join(', ')}; alerts: ${(await there()).join(', ')}`,
      );
    const all = rules.map(({ name }) => `${name} ${BAD}`).toSorted();
    const calm = rules.flatMap(({ name }) => [`${name} ${BAD}`, `${name} ${GOOD}`]).toSorted();
    await eventually(
      async () => (String(await here('calm')) === String(calm) ? true : undefined),
      SOON_MS,
      async () => `calm: ${(await here('calm')).join(', ')}`,
    );
    badSince = (performance.now() - begun) / 1_000;
    await same(all);
    badS = (performance.now() - begun) / 1_000 - badSince;
    badSince = 0;
    await same([]);
    expect(await readFile(path('mirzam.yml'), 'utf8')).to.include('record: mirzam:cpu');
  });
});

interface Named {
  readonly name: string;
  readonly ruleId: string;
}

interface Explained {
  readonly subscriptions: readonly { readonly state: string }[];
}

interface FiringAlert {
  readonly labels: { readonly alertname: string; readonly severity?: string; readonly instance?: string };
}
