import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type Condition, conditionText } from '../../../src/policy/rules/condition.js';
import type { RuleDraft } from '../../../src/policy/rules/rule.js';
import { okBody } from '../../e2e/policy/actions.js';
import { rulesStages, runRules } from '../rules/rules-stage.js';

const ALERTS = fileURLToPath(new URL('../../../../examples/prometheus-alerts.yml', import.meta.url));

describe('mirzam rules import', () => {
  const { stage, pathOf, file } = rulesStages();
  const run = (...args: readonly string[]) => runRules(['import', '--prometheus', ...args], {});
  const rulesIn = (text: string): readonly RuleDraft[] =>
    (parse(text) as { readonly rules: readonly RuleDraft[] }).rules;

  /** Imports one expression. Returns its condition as a text with the recording rules, or why it is refused. */
  const importedExpr = async (expr: string, more: object = {}): Promise<unknown> => {
    const [records, out] = [pathOf('records.yml'), await file('one.yml', oneAlert(expr, more))];
    const made = await run(out, '--recording-rules', records, '--force');
    const refused = /^# Refused:\n# One, \S+one.yml:1: ([^]*?)\.\n# {3}/m.exec(made.out)?.[1];
    if (refused !== undefined) return refused.replaceAll('\n# ', ' ');
    const [rule] = rulesIn(made.out);
    const { rules } = (parse(await readFile(records, 'utf8')) as RecordingFile).groups[0]!;
    return [
      textOf(rule!.condition),
      ...rules.map(({ record, expr: of }) => `${record.replace('mirzam:', '')} = ${of}`),
    ];
  };

  it('makes a rule of each alert that can be one, and names the others with the reason', async () => {
    const { code, out, err } = await run(ALERTS);
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: 'refused, with the reason in the file: ExporterGone, ManyDown\n',
    });
    const rules = rulesIn(out);
    expect(rules.map(({ name, condition, for: held }) => [name, textOf(condition), held])).to.deep.equal([
      ['CpuBusy', 'cpu > 80', 600],
      ['MemoryLow', 'mem > 90', 120],
      ['DiskFull', 'hdd >= 95', undefined],
      ['InodesLow', 'inodes_low < 0.1', undefined],
      ['InodesLow (critical)', 'inodes_low_2 < 0.03', undefined],
      ['LoadHigh', 'instance_load_per_cpu_ratio > 2', 5_400],
      [
        'ClockOff',
        '(clock_off > 0.05 and clock_off_2 >= 0) or (clock_off < -0.05 and clock_off_2 <= 0)',
        600,
      ],
      ['TargetDown', 'up >= 0 and up <= 0', 60],
      ['TooHot', 'too_hot > 0', undefined],
      ['UnitFailed', 'unit_failed >= 1', undefined],
      ['PacketsLost', 'packets_lost > 0.01', undefined],
      ['SwapUsed', 'node_vmstat_pswpout > 0 and not (node_load15 < 1)', undefined],
    ]);
    expect(rules[0]).to.deep.include({
      labels: { severity: 'warning', team: 'web' },
      repeat: 14_400,
      resolve: true,
      action: {
        actionName: 'notify-email',
        email: 'ops@example.org',
        body: 'CPU in use over 80 %\nAdd a machine.',
      },
    });
    expect(rules[1]!.action).to.have.property('body', 'MemoryLow');
    expect(rules[1]!.labels, 'a template is not a label').to.deep.equal({ severity: 'warning' });
    const refused = out.slice(out.indexOf('# Refused:')).replaceAll('\n# ', ' ');
    expect(refused).to.match(
      /ExporterGone, \S+:59: asks for a series that is not there in "absent\(.+ManyDown, /s,
    );
    expect(out).to.include(
      '# Needs instance:load_per_cpu:ratio, which is instance_load_per_cpu_ratio here.\n',
    );
    expect(out).to.match(/^#   regex: "cpu\|mem\|hdd\|inodes_low\|.+\|instance:load_per_cpu:ratio\|/m);
    expect(out).to.include('keep_firing_for (5m) has no equivalent').and.to.include('templates: rack.');
  });

  it('takes a comparison times a series of information for one that needs the series', async () => {
    const info = '* on (instance) group_left (nodename) node_uname_info{nodename=~".+"}';
    expect(await importedExpr(`(node_load1 > 4) ${info}`)).to.deep.equal([
      'one > 4',
      'one = max by (instance) (node_load1 and on (instance) node_uname_info{nodename=~".+"} or timestamp(node_load1) * 0 + 4)',
    ]);
    expect(await importedExpr(`((node_load1 > 4) or (node_load5 > 3)) ${info}`)).to.have.property(
      '0',
      'one > 4 or one_2 > 3',
    );
    for (const expr of ['(node_load1 > 4) * 2', `node_load1 ${info}`, '4 * (node_load1 > 4)'])
      expect(await importedExpr(expr), expr).to.match(/^compares nothing in /);
  });

  it('writes the recording rules, of which each series of a server becomes one number', async () => {
    const records = pathOf('mirzam.yml');
    await run(ALERTS, '--recording-rules', records);
    const { groups } = parse(await readFile(records, 'utf8')) as RecordingFile;
    const exprs = new Map(groups[0]!.rules.map(({ record, expr }) => [record, expr]));
    expect(exprs.get('mirzam:cpu')).to.equal(
      'clamp(100 * (1 - avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[5m]))), 0, 100)',
    );
    expect(exprs.get('mirzam:inodes_low')).to.equal(
      'min by (instance) ((node_filesystem_files_free / node_filesystem_files) and on (instance, device, mountpoint) ' +
        '(node_filesystem_readonly == 0) or timestamp(node_filesystem_files_free / node_filesystem_files) * 0 + 0.1)',
    );
    expect(exprs.get('mirzam:unit_failed')).to.equal(
      'max by (instance) (node_systemd_unit_state{state="failed"} == bool 1)',
    );
    const again = await run(ALERTS, '--recording-rules', records);
    expect(again).to.deep.include({ code: 2, out: '' }).and.have.property('err').that.includes('--force');
  });

  it('makes a file that a service takes, that then shows no difference, and that can be tested', async () => {
    const { out } = await run(ALERTS, '--email', 'oncall@example.org');
    const metrics = /METRICS="(.+)"/.exec(out)![1]!;
    const { api, rules, done } = await stage({ METRICS: metrics });
    const path = await file('rules.yaml', out);
    await done('apply', path);
    expect(await rules('diff', path)).to.deep.equal({ code: 0, out: '', err: '' });
    expect(okBody(await api.call('GET', '/v1.0/demo/rules'))['rules']).to.have.length(12);
    expect(await done('pull')).to.include('oncall@example.org');

    await file(
      'cpu.csv',
      ['at,value', ...Array.from({ length: 20 }, (_, i) => `${60 * i},90`), ''].join('\n'),
    );
    const test = '{rule: CpuBusy, csv: cpu.csv, time: at, metrics: {cpu: value}, expect: {firings: 1}}';
    const tested = await file('tested.yaml', `${out}\ntests: [${test}]\n`);
    expect(await done('test', tested)).to.include('1 ok, 0 failed');
  });

  const rest = 'a rule would keep its last state then';
  const expressions: Readonly<Record<string, unknown>> = {
    '5 < node_load1': ['node_load1 > 5'],
    'node_load1 != 24*60': ['not (node_load1 >= 1440 and node_load1 <= 1440)'],
    'time() - node_boot_time_seconds < 10*60': [
      'one < 600',
      'one = max by (instance) (time() - node_boot_time_seconds)',
    ],
    '(node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes) / node_memory_MemTotal_bytes > .9': [
      'mem > 90',
      'mem = clamp(100 * (1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes), 0, 100)',
    ],
    // The least free file system is the fullest. Of the emptiest one there is no metric.
    'node_filesystem_avail_bytes / node_filesystem_size_bytes > .9': [
      'one > 0.9',
      'one = max by (instance) (node_filesystem_avail_bytes / node_filesystem_size_bytes)',
    ],
    // These labels never match in Prometheus, so the rule never holds either.
    'avg by (instance) (rate(x[5m])) > 1 and node_load1 > 5': [
      'one > 1',
      'one = max by (instance) (avg by (instance) (rate(x[5m])) and (node_load1 > 5) or timestamp(avg by (instance) (rate(x[5m]))) * 0 + 1)',
    ],
    '(a > 1 or b >= 2) unless c': [
      'one > 1 or one_2 >= 2',
      'one = max by (instance) (a unless c or timestamp(a) * 0 + 1)',
      'one_2 = max by (instance) (b unless c or timestamp(b) * 0)',
    ],
    'a == 0 and b > 1': [
      'one >= 1',
      'one = max by (instance) ((a and (b > 1)) == bool 0 or timestamp(a) * 0)',
    ],
    'histogram_quantile(.9, sum by (instance, le) (rate(a[5m]))) > 1': [
      'one > 1',
      'one = max by (instance) (clamp(histogram_quantile(.9, sum by (instance, le) (rate(a[5m]))), -1000000000000000, 1000000000000000) <= ' +
        '1000000000000000 or timestamp(histogram_quantile(.9, sum by (instance, le) (rate(a[5m])))) * 0 + 1)',
    ],
    'label_replace(sum by (host) (a), "instance", "$1", "host", "(.*)") > 1': [
      'one > 1',
      'one = max by (instance) (label_replace(sum by (host) (a), "instance", "$1", "host", "(.*)"))',
    ],
    'sum by (job) (rate(a[5m])) > 5':
      'has no label instance in "sum by (job) (rate(a[5m]))": a rule sees the metrics of one server',
    'job:up:sum < 1': 'has no label instance in "job:up:sum": a rule sees the metrics of one server',
    'topk(3, node_load1) > 5': `has no value at times in "topk(3, node_load1)": ${rest}`,
    'sum by (instance) (x > 5) > 3': `has no value at times in "x > 5": ${rest}`,
    'node_load1 > bool 5': 'has bool in "node_load1 > bool 5": it fires whenever there is a value',
    'vector(1)': 'compares nothing in "vector(1)": it fires while there is such a series',
    '1 > 0': 'compares two numbers in "1 > 0"',
    'node_load1 > Inf': 'compares with no finite number in "node_load1 > Inf"',
    'time() > 5': 'is of no server in "time()"',
    'up ==': 'is not PromQL: its end is missing',
    'a{ $b } > 3': 'is not PromQL: it cannot be read from "$b} > 3"',
  };
  for (const [expr, expected] of Object.entries(expressions)) {
    it(`${typeof expected === 'string' ? 'refuses' : 'takes'} ${expr}`, async () => {
      expect(await importedExpr(expr)).to.deep.equal(expected);
    });
  }

  it('looks for divisors that can be 0 in recording rules', async () => {
    const rules = [
      { record: 'instance:requests:rate5m', expr: 'sum by (instance) (rate(requests[5m]))' },
      { record: 'instance:errors:ratio', expr: 'sum by (instance) (rate(e[5m])) / instance:requests:rate5m' },
      { alert: 'One', expr: 'instance:errors:ratio > .1' },
    ];
    const { out } = await run(await file('one.yml', JSON.stringify({ groups: [{ name: 'one', rules }] })));
    expect(/^ +# +expr: (.+)$/m.exec(out)?.[1]).to.equal(
      'max by (instance) (clamp(instance:errors:ratio, -1000000000000000, 1000000000000000) <= 1000000000000000 ' +
        'or timestamp(instance:errors:ratio) * 0 + 0.1)',
    );
  });

  it('refuses a hold period that a rule cannot have', async () => {
    expect(await importedExpr('up == 0', { for: '2w' })).to.equal(
      'has "for" of more than 604800 seconds, a week',
    );
    expect(await importedExpr('up == 0', { for: '10 minutes' })).to.equal('has "for" that is not a duration');
  });

  it('reads the groups of Kubernetes, and several files, of which equal expressions are one metric', async () => {
    const spec = JSON.parse(oneAlert('a > 1')) as object;
    const kubernetes = await file('kubernetes.yaml', { kind: 'PrometheusRule', spec });
    const { out, code } = await run(kubernetes, await file('other.yml', oneAlert('a > 2')));
    expect(code).to.equal(0);
    expect(rulesIn(out).map(({ name, condition }) => [name, textOf(condition)])).to.deep.equal([
      ['One', 'one > 1'],
      ['One 2', 'one > 2'],
    ]);
  });

  it('exits with 2 for what is not a file of rules, and prints nothing', async () => {
    const wrong = {
      'groups: [': /wrong.yml: is not YAML: line 1: /,
      'rules: []': /wrong.yml: must have groups with rules/,
      'groups: [{rules: [{alert: A}]}]': /wrong.yml: line 1: a rule needs expr, a string/,
      'groups: []': /these files have no alerting rules/,
    };
    for (const [content, message] of Object.entries(wrong)) {
      const { code, out, err } = await run(await file('wrong.yml', content));
      expect({ code, out }, content).to.deep.equal({ code: 2, out: '' });
      expect(err).to.match(message);
    }
    expect((await run(pathOf('none.yml'))).err).to.include('there is no such file');
    expect((await runRules(['import'], {})).err).to.include("required option '--prometheus <FILE...>'");
  });
});

interface RecordingFile {
  readonly groups: readonly {
    readonly rules: readonly { readonly record: string; readonly expr: string }[];
  }[];
}

function oneAlert(expr: string, more: object = {}): string {
  return JSON.stringify({ groups: [{ name: 'one', rules: [{ alert: 'One', expr, ...more }] }] });
}

/** Returns a condition as text without its aggregates, which are all the newest value. */
function textOf(condition: Condition): string {
  expect(JSON.stringify(condition)).to.not.match(/"operand":"[a-z ]+"\}/);
  return conditionText(condition).replaceAll('last of ', '');
}
