import { expect } from 'chai';
import { sharedLedger } from '../../e2e/ledger/scene.js';
import { scrape } from '../scrape.js';
import { alerts, dashboardExpressions, metricsIn, textOf } from './rule-files.js';

describe('the metrics, the alerts and the dashboard', () => {
  const ledger = sharedLedger();
  const section = (title: string): string =>
    textOf('docs/operations.md').split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;

  /** The names of metrics in a scrape, with or without samples. */
  const scraped = async (): Promise<readonly string[]> => {
    const { text } = await scrape(ledger().url);
    return [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!);
  };

  it('are described: each metric with its question, and no other', async () => {
    const rows = section('Metrics')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const described = rows.flatMap((row) => metricsIn(row.split(' | ')[0]!));
    const ours = (await scraped()).filter((name) => name.startsWith('mirzam_'));
    expect(ours).to.have.length.above(30);
    expect(described.filter((name) => name.startsWith('mirzam_'))).to.have.members(ours);
    expect(rows.filter((row) => !/\?/.test(row)).filter((row) => row.includes('mirzam_'))).to.deep.equal([]);
  });

  it('have labels of few values', async () => {
    const { samples } = await scrape(ledger().url);
    const labels = new Set(
      samples.filter(({ name }) => name.startsWith('mirzam_')).flatMap((one) => Object.keys(one.labels)),
    );
    labels.delete('le');
    const bounded = [
      'method',
      'route',
      'status',
      'why',
      'what',
      'state',
      'channel',
      'result',
      'part',
      'reason',
    ];
    expect(bounded).to.include.members([...labels]);
  });

  it('each have a name after Prometheus’ rules: the base unit, and _total for counters alone', async () => {
    const { text } = await scrape(ledger().url);
    for (const [, name, type] of text.matchAll(/^# TYPE (mirzam_\S+) (\S+)$/gm)) {
      expect(name!.endsWith('_total'), name).to.equal(type === 'counter');
      expect(name).not.to.match(/_(?:ms|milliseconds|minutes|kb|mb|percent)\b/);
    }
  });

  it('are used by alerts and the dashboard only if they exist', async () => {
    const known = new Set([...(await scraped()), 'nodejs_eventloop_lag_p99_seconds']);
    const used = [...alerts().map(({ expr }) => expr), ...dashboardExpressions()].flatMap(metricsIn);
    expect(used).to.have.length.above(40);
    expect(used.filter((name) => !known.has(name))).to.deep.equal([]);
  });

  it('are all on the dashboard', async () => {
    const shown = new Set(dashboardExpressions().flatMap(metricsIn));
    const ours = (await scraped()).filter((name) => name.startsWith('mirzam_'));
    expect(ours.filter((name) => !shown.has(name))).to.deep.equal([]);
  });

  it('have a paragraph for each alert, and an alert for each paragraph', () => {
    const paragraphs = section('Alerts').split('\n### ').slice(1);
    const all = alerts();
    expect(paragraphs.map((text) => text.split('\n')[0])).to.deep.equal(all.map(({ name }) => name));
    for (const text of paragraphs) expect(text).to.include('**Look at**').and.include('**Do**');
    for (const { name, severity, runbook } of all) {
      expect(runbook, name).to.equal(`docs/operations.md#${name.toLowerCase()}`);
      expect(['critical', 'warning', 'info'], name).to.include(severity);
    }
  });

  it('have a unit test for each alert', () => {
    const tested = textOf('deploy/prometheus/alerts.test.yaml').matchAll(/^ +- name: (\w+)$/gm);
    expect([...tested].map(([, name]) => name)).to.deep.equal(alerts().map(({ name }) => name));
  });
});
