import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type FileRule, rulesOf } from '../../../src/command/import-rules/alerting-rules.js';
import { recordingRules } from '../../../src/command/import-rules/imported-file.js';
import { imported, type ImportedRule } from '../../../src/command/import-rules/imported-rules.js';
import { backtest, type PastFact } from '../../../src/policy/backtest/backtest.js';
import { specPrometheus, type PrometheusTools } from '../../servers/prometheus.js';
import { writtenFiles } from '../../written-files.js';
import { exporterSeries, type Sampling } from './exporter-series.js';

/** Files of alerting rules: the example, and those that a developer names, with `:` between them. */
const FILES = [
  fileURLToPath(new URL('../../../../examples/prometheus-alerts.yml', import.meta.url)),
  ...(process.env['ALERTS_TEST_FILES'] ?? '').split(':').filter((name) => name !== ''),
];
/** Functions over time, beside those of the example, and what joins them. */
const OVER_TIME = JSON.stringify({
  groups: [
    {
      name: 'over time',
      rules: [
        { alert: 'Mean', expr: 'avg_over_time(node_load5[10m]) > 3', for: '5m' },
        {
          alert: 'Least',
          expr: 'min_over_time(node_memory_MemAvailable_bytes[15m]) / node_memory_MemTotal_bytes < .1',
        },
        {
          alert: 'Both',
          expr: 'max_over_time(node_load1[5m]) >= 5 and avg_over_time(node_load15[30m]) > 1.5',
          for: '10m',
        },
        { alert: 'Grown', expr: 'increase(node_network_receive_errs_total[10m]) > 100', for: '90s' },
        { alert: 'Instant', expr: 'irate(node_vmstat_pgmajfault[2m]) > 1000' },
        { alert: 'Predicted', expr: 'predict_linear(node_filesystem_avail_bytes[1h], 3600) < 0' },
        { alert: 'Earlier', expr: 'node_load1 - node_load1 offset 10m > 2' },
        { alert: 'Subquery', expr: 'max_over_time(rate(node_vmstat_pgmajfault[2m])[10m:1m]) > 1500' },
        { alert: 'Changed', expr: 'changes(up[15m]) > 0 unless on (instance) node_load1 > 5' },
        {
          alert: 'Quantile',
          expr: 'quantile_over_time(0.9, node_load1[20m]) > 8 or node_load5 > 6',
          for: '3m',
        },
        {
          record: 'instance:packets:rate2m',
          expr: 'sum by (instance) (rate(node_network_receive_packets_total{device="eth1"}[2m]))',
        },
        {
          record: 'instance:errors:ratio',
          expr: 'sum by (instance) (rate(node_network_receive_errs_total{device="eth1"}[2m])) / instance:packets:rate2m',
        },
        { alert: 'Recorded', expr: 'instance:errors:ratio > .01' },
        { alert: 'Joined', expr: '(node_load1 > 4) * on (instance) group_left () node_uname_info' },
      ],
    },
  ],
});
const SERVERS = ['web-1', 'web-2', 'web-3'];
const SEED = Number(process.env['ALERTS_TEST_SEED'] ?? '20261127');
/** Four hours by the minute, and two weeks by the hour. */
const SAMPLINGS: Readonly<Record<string, Sampling>> = {
  'by the minute': { steps: 240, seconds: 60 },
  'by the hour': { steps: 336, seconds: 3_600 },
};

/** A state at one time: the condition does not hold, it holds for less than `for`, or it fires. */
type State = 'calm' | 'pending' | 'firing';

/** The states of one server, one for each step. */
type States = readonly State[];

/** What promtool found at one step. */
interface Found {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /\{([^{}]*)\} (\S+?)(?:, (?=\{)|$)/g;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Evaluates rules on series. Returns what an expression has at each step. */
function evaluated(
  tools: PrometheusTools,
  test: string,
  { steps, seconds }: Sampling,
): readonly (readonly Found[])[] {
  const { output } = tools.promtool(['test', 'rules', test]);
  const found: Found[][] = Array.from({ length: steps }, () => []);
  const failures = output.matchAll(/expr: .+, time: (\S+),\s+exp: ?nil\s+got: ?(.+)$/gm);
  for (const [, time, samples] of failures) {
    const step = secondsOf(time!) / seconds;
    for (const [, labels, value] of samples!.matchAll(SAMPLE)) {
      const named = Object.fromEntries([...labels!.matchAll(LABEL)].map(([, name, text]) => [name, text]));
      found[step]!.push({ labels: named as Found['labels'], value: Number(value) });
    }
  }
  expect(found.flat(), output.slice(0, 2_000)).to.not.deep.equal([]);
  return found;
}

const UNITS: Readonly<Record<string, number>> = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 };

function secondsOf(duration: string): number {
  return [...duration.matchAll(/(\d+)([wdhms])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * UNITS[unit!]!,
    0,
  );
}

describe('alerts of Prometheus, and the rules that mirzam rules import makes of them', () => {
  const tools = specPrometheus();
  const written = writtenFiles();
  const read = [
    ...FILES.map((name) => rulesOf(name, readFileSync(name, 'utf8'))),
    rulesOf('over-time.yml', OVER_TIME),
  ];
  const made = imported(read, 'ops@example.org');
  const seen = new Set<string>();

  /** Returns where the state of a rule is not that of its alert. */
  const differencesIn = (found: readonly (readonly Found[])[], sampling: Sampling): readonly string[] => {
    const differences: string[] = [];
    for (const [i, rule] of made.rules.entries())
      for (const server of SERVERS) {
        const states = statesOfRule(rule, factsOf(rule, found, server, sampling), sampling);
        const any = statesOfAlert('any', i, found, server);
        const each = statesOfAlert('each', i, found, server);
        for (const [step, state] of states.entries()) {
          seen.add(`${rule.rule.name} ${state}`);
          const place = `${rule.rule.name} of ${server} at ${step}`;
          if (state !== any[step]) differences.push(`${place}: ${state}, in Prometheus ${any[step]}`);
          // An alert of one series of several fires later or not at all, but never without the rule.
          if (
            (each[step] === 'calm') !== (state === 'calm') ||
            (each[step] === 'firing' && state !== 'firing')
          )
            differences.push(`${place}: ${state}, its series in Prometheus ${each[step]}`);
        }
      }
    return differences;
  };

  for (const [name, sampling] of Object.entries(SAMPLINGS)) {
    it(`hold and fire at the same times, ${name}`, async () => {
      const alerts = made.rules.flatMap(({ alert }, i) => {
        const kept = { for: (alert.for ?? '0s') as string };
        return [
          { alert: 'each', expr: alert.expr, labels: { of: String(i) }, ...kept },
          // A rule is about a server: it goes on to hold while any of its series does.
          { alert: 'any', expr: `count by (instance) (${alert.expr})`, labels: { of: String(i) }, ...kept },
        ];
      });
      const recordings = read
        .flatMap((one) => one.recordings)
        .map(({ name: record, expr }: FileRule) => ({ record, expr }));
      const sent = made.supplies.map(({ series }) => series);
      const expr = `{__name__=~"ALERTS|${sent.join('|')}"}`;
      const test = await written.file('test.json', {
        rule_files: [
          await written.file('alerts.json', {
            groups: [{ name: 'alerts', rules: [...recordings, ...alerts] }],
          }),
          await written.file('mirzam.yml', recordingRules(made)),
        ],
        evaluation_interval: `${sampling.seconds}s`,
        // The groups are evaluated one after the other. The rules of Mirzam need the recorded series of this step.
        group_eval_order: ['alerts', 'mirzam'],
        tests: [
          {
            interval: `${sampling.seconds}s`,
            input_series: exporterSeries(SERVERS, sampling, SEED),
            promql_expr_test: Array.from({ length: sampling.steps }, (_, step) => ({
              expr,
              eval_time: `${step * sampling.seconds}s`,
              exp_samples: [],
            })),
          },
        ],
      });
      const differences = differencesIn(evaluated(tools(), test, sampling), sampling);
      expect(differences.slice(0, 20)).to.deep.equal([]);
    });
  }

  it('are each calm at some time, and each firing at another', () => {
    const refused = made.refused.map(({ alert }) => alert.place);
    expect(refused.filter((place) => place.startsWith('over-time'))).to.deep.equal([]);
    const names = made.rules.flatMap(({ rule }) =>
      ['calm', 'firing'].map((state) => `${rule.name} ${state}`),
    );
    expect(names.filter((one) => !seen.has(one))).to.deep.equal([]);
  });
});

/** Returns the facts that a server gets: the values of one time are one fact. What is not a number is left out. */
function factsOf(
  { supplies }: ImportedRule,
  found: readonly (readonly Found[])[],
  server: string,
  { seconds }: Sampling,
): readonly PastFact[] {
  return found.flatMap((all, step) => {
    const own = all.filter(({ labels, value }) => labels['instance'] === server && !Number.isNaN(value));
    const measures: Record<string, number> = {};
    for (const { metric, series } of supplies) {
      const values = own.filter(({ labels }) => labels['__name__'] === series);
      expect(values.length, `series of ${series} of ${server}`).to.be.at.most(1);
      if (values.length > 0) measures[metric] = values[0]!.value;
    }
    return Object.keys(measures).length === 0 ? [] : [{ at: step * seconds * 1_000, measures }];
  });
}

function statesOfRule(
  { rule }: ImportedRule,
  facts: readonly PastFact[],
  { steps, seconds }: Sampling,
): States {
  const { messages, periods } = backtest({ rule, windowsize: 1, gapMs: 0, facts });
  return Array.from({ length: steps }, (_, step): State => {
    const at = step * seconds * 1_000;
    if (!periods.some(({ from, to, ended }) => from <= at && (ended ? at < to : at <= to))) return 'calm';
    return messages.findLast((one) => one.at <= at)?.state === 'firing' ? 'firing' : 'pending';
  });
}

function statesOfAlert(
  alert: 'each' | 'any',
  i: number,
  found: readonly (readonly Found[])[],
  server: string,
): States {
  return found.map((all): State => {
    const states = new Set(
      all
        .filter(({ labels }) => labels['alertname'] === alert && labels['of'] === String(i))
        .filter(({ labels }) => labels['instance'] === server)
        .map(({ labels }) => labels['alertstate']),
    );
    if (states.has('firing')) return 'firing';
    return states.has('pending') ? 'pending' : 'calm';
  });
}
