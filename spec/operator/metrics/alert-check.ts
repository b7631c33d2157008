import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { PrometheusTools } from '../../servers/prometheus.js';
import type { Scrape } from '../scrape.js';
import { fileOf } from './rule-files.js';
import { CAUSE_AT_S, type During, inputSeries } from './series.js';

/** Alerts that the load of the machine may cause, not the spec. */
const OF_THE_MACHINE = 'MirzamEventLoopHeld|MirzamMemoryHigh|MirzamStoreSlow|MirzamDiskFilling';

/** When the alerts are looked at, s after the beginning of the cause. */
const SOON_S = 12 * 60;

/**
 * Expects that none of the alerts fires before a cause, and that exactly these fire while it lasts. promtool evaluates the
 * rules of the repository on the series of the scrapes.
 */
export async function expectAlerts(
  tools: PrometheusTools,
  series: { readonly before: Scrape; readonly during: During },
  alerts: readonly string[],
  { afterS = SOON_S, ignored = OF_THE_MACHINE } = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  try {
    const file = join(folder, 'fired.yaml');
    await writeFile(file, testOf(series, alerts, afterS, ignored));
    const { status, output } = tools.promtool(['test', 'rules', file]);
    expect(status, output).to.equal(0);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function testOf(
  { before, during }: { readonly before: Scrape; readonly during: During },
  alerts: readonly string[],
  afterS: number,
  ignored: string,
): string {
  const expr = `count by (alertname) (ALERTS{alertstate="firing",alertname!~"${ignored}"})`;
  const samples = alerts.map((name) => `          - labels: '{alertname="${name}"}'\n            value: 1\n`);
  return `rule_files:
  - ${fileURLToPath(fileOf('deploy/prometheus/alerts.yaml'))}
evaluation_interval: 15s
tests:
  - interval: 15s
    input_series:
${inputSeries(before, during)}
    promql_expr_test:
      - expr: '${expr}'
        eval_time: ${CAUSE_AT_S - 15}s
        exp_samples: []
      - expr: '${expr}'
        eval_time: ${CAUSE_AT_S + afterS}s
        exp_samples:
${samples.join('')}`;
}
