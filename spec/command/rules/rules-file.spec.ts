import { expect } from 'chai';
import { ALWAYS } from '../../e2e/policy/actions.js';
import { BUSY, FULL, HOOK, rulesStages, runRules } from './rules-stage.js';

describe('a file of rules', () => {
  const { yaml, file } = rulesStages();
  // No service answers there: a file is read first.
  const environment = { MIRZAM_URL: 'http://127.0.0.1:1', MIRZAM_TENANT: 'demo', MIRZAM_TOKEN: 'any' };
  const problems = async (...files: readonly string[]): Promise<readonly string[]> => {
    const { code, out, err } = await runRules(['diff', ...files], environment);
    expect([code, out]).to.deep.equal([2, '']);
    const [head, ...lines] = err.trimEnd().split('\n');
    expect(head).to.equal('mirzam rules diff: these rules cannot be used:');
    return lines.map((line) => line.replaceAll(/\/\S*\//g, ''));
  };

  it('is refused with every problem, and the line of each', async () => {
    const path = await file(
      'rules.yaml',
      `tenant: 5
windowsize: 0
colour: red
rules:
  - name: busy
    condition: {cpu: {value: 185, operand: greater}}
    action: {actionName: notify-scale, operation: scaleUp}
    fro: 5
    subscriptions:
      - url: 7
        servers: []
  - condition:
      cpu:
        value: 85
        operand: above
    action: {actionName: notify-scale, operation: scaleUp}
servers:
  web-1.example.org:
    rules:
      - name: 7
        condition: {cpu: {value: 85, operand: greater}}
        action: {actionName: notify-scale, operation: scaleUp}
        subscriptions: [{servers: [web-2], url: "${HOOK}"}]
    subscriptions: []
  a*b: {rules: []}
`,
    );
    expect(await problems(path)).to.deep.equal([
      'rules.yaml:3: colour: is no member here; allowed: tenant, windowsize, rules, servers, tests',
      'rules.yaml:1: tenant: must be the id or name of a tenant, [A-Za-z0-9_-]{1,256}, as a string',
      'rules.yaml:2: windowsize: must be an integer from 1 to 10000',
      'rules.yaml:6: rules[0].condition.cpu.value: must be a JSON number from 0 to 100',
      'rules.yaml:5: rules[0]: must not have fro; allowed: name, condition, action, for, repeat, resolve, noData, labels',
      'rules.yaml:11: rules[0].subscriptions[0].servers: must be a list of at least one id of a server',
      'rules.yaml:10: rules[0].subscriptions[0].url: must be a URL, a string of at most 2048 characters',
      'rules.yaml:12: rules[1].name: must be a string of 1 to 256 characters, not blank and without control characters',
      'rules.yaml:15: rules[1].condition.cpu.operand: must be one of: greater, less, greater equal, less equal',
      'rules.yaml:24: servers["web-1.example.org"].subscriptions: is no member here; allowed: rules',
      'rules.yaml:20: servers["web-1.example.org"].rules[0].name: must be a string of 1 to 256 characters, not blank and without control characters',
      'rules.yaml:23: servers["web-1.example.org"].rules[0].subscriptions[0]: must not have servers; allowed: url, format, headers, template; the rule is of one server',
      'rules.yaml:25: servers["a*b"]: must be the id of a server, (?!\\.{1,2}$)[A-Za-z0-9_.:~-]{1,256}, as a string',
    ]);
  });

  it('has each name once in a list, over all files, and one tenant and window size', async () => {
    const a = await yaml('a.yaml', { tenant: 'demo', windowsize: 5, rules: [BUSY, ALWAYS, ALWAYS] });
    const b = await yaml('b.yaml', {
      tenant: 'other',
      windowsize: 6,
      rules: [BUSY],
      servers: { 'web-1': { rules: [BUSY] } },
    });
    const c = await file('c.json', { servers: { 'web-1': { rules: [FULL, BUSY] } } });
    const found = await problems(a, b, c);
    expect(found[0]).to.match(/^a.yaml:\d+: rules\[2\].name: rule always is there already, in a.yaml:\d+$/);
    expect(found.slice(1).join('\n')).to.match(
      /^b.yaml:1: tenant: is other, and demo in a.yaml; all files are of one tenant\nb.yaml:2: windowsize: is 6, and 5 in a.yaml; .*\nb.yaml:\d+: rules\[0\].name: rule busy is there already, in a.yaml:4\nc.json:1: servers\["web-1"\].rules\[1\].name: server web-1: rule busy is there already, in b.yaml:\d+$/,
    );
  });

  it('has tests of its rules', async () => {
    const test = { rule: 'busy', csv: 'a.csv', time: 't', metrics: { cpu: 'v' } };
    const path = await file('rules.json', {
      rules: [BUSY],
      servers: { 'web-1': { rules: [FULL] } },
      tests: [
        { ...test, rule: 'none' },
        { ...test, server: 'web-1' },
        { ...test, server: 'a*b', csv: 5, windowsize: 0, gap: -1, extra: 1 },
        { rule: 'busy', csv: 'a.csv', metrics: {} },
        { ...test, metrics: { at: 'v' }, expect: { firings: 0.5, held: -1, sent: 3 } },
        { ...test, expect: { messages: [{ state: 'calm', at: 'now' }, 3] } },
      ],
    });
    const member = (i: number, rest: string) => `rules.json:1: tests[${i}]${rest}`;
    expect(await problems(path)).to.have.members([
      member(0, '.rule: rule none is in none of these files'),
      member(1, '.rule: server web-1: rule busy is in none of these files'),
      member(2, ': must not have extra; allowed: rule, server, csv, time, metrics, windowsize, gap, expect'),
      member(2, '.server: must be the id of the server of the rule, as a string'),
      member(2, '.csv: must be the path of a CSV file, relative to this file'),
      member(2, '.windowsize: must be an integer from 1 to 10000'),
      member(2, '.gap: must be an integer from 0 to 31536000, in seconds'),
      member(3, '.time: must be the name of a column of the CSV file'),
      member(
        3,
        '.metrics: must be an object of at least one metric, each with a column of the CSV file, such as {cpu: value}',
      ),
      member(
        4,
        '.metrics: must be an object of at least one metric, each with a column of the CSV file, such as {cpu: value}',
      ),
      member(4, '.expect: must not have sent; allowed: firings, held, evaluations, messages'),
      member(4, '.expect.firings: must be an integer from 0 on'),
      member(4, '.expect.held: must be a number of seconds, from 0 on'),
      member(5, '.expect.messages[0].state: must be one of firing, resolved, noData'),
      member(
        5,
        '.expect.messages[0].at: must be a time of ISO 8601 with a zone, such as 2026-11-21T11:00:00Z',
      ),
      member(5, '.expect.messages[1]: must be a JSON object'),
    ]);
  });

  it('that is no YAML, or has no object, is refused with the line', async () => {
    expect(await problems(await file('a.yaml', 'rules:\n  - a: b: c\n')))
      .to.have.nested.property('[0]')
      .that.match(/^a.yaml:2: /);
    expect(await problems(await file('b.yaml', 'rules: []\nrules: []\n')))
      .to.have.nested.property('[0]')
      .that.match(/^b.yaml:2: Map keys must be unique/);
    for (const text of ['', '[]', 'text'])
      expect(await problems(await file('c.yaml', text))).to.deep.equal([
        'c.yaml:1: file: must be an object with some of tenant, windowsize, rules, servers, tests',
      ]);
    expect(await problems(await file('d.yaml', 'rules: {}\nservers: []\n'))).to.deep.equal([
      'd.yaml:1: rules: must be a list',
      'd.yaml:2: servers: must be a JSON object: ids of servers, each with its rules',
    ]);
    expect(await problems(await file('e.yaml', 'rules: [!js/x 1]\n')))
      .to.have.nested.property('[0]')
      .that.match(/^e.yaml:1: Unresolved tag/);
  });

  it('that is not there is named', async () => {
    const { code, err } = await runRules(['apply', '/none/rules.yaml'], environment);
    expect(code).to.equal(2);
    expect(err).to.match(/^mirzam rules apply: \/none\/rules.yaml: there is no such file\n/);
    expect((await runRules(['apply', '-', '-'], environment)).err).to.match(/only one file can be -/);
    expect((await runRules(['apply'], environment)).err).to.match(/missing required argument 'FILE'/);
  });
});
