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

  it('is refused with every problem, and the line and column of each', async () => {
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
      'rules.yaml:3:1: colour: is not a member here; allowed: tenant, windowsize, rules, servers, tests',
      'rules.yaml:1:9: tenant: must be the id or name of a tenant, [A-Za-z0-9_-]{1,256}, as a string',
      'rules.yaml:2:13: windowsize: must be an integer from 1 to 10000',
      'rules.yaml:6:30: rules[0].condition.cpu.value: must be a JSON number from 0 to 100',
      'rules.yaml:8:5: rules[0]: must not have fro; allowed: name, condition, action, for, repeat, resolve, noData, labels, subscriptions',
      'rules.yaml:11:18: rules[0].subscriptions[0].servers: must be a list of at least one id of a server',
      'rules.yaml:10:14: rules[0].subscriptions[0].url: must be a URL, a string of at most 2048 characters',
      'rules.yaml:12:5: rules[1].name: must be a string of 1 to 256 characters, not blank and without control characters',
      'rules.yaml:15:18: rules[1].condition.cpu.operand: must be one of: greater, less, greater equal, less equal',
      'rules.yaml:24:5: servers["web-1.example.org"].subscriptions: is not a member here; allowed: rules',
      'rules.yaml:20:15: servers["web-1.example.org"].rules[0].name: must be a string of 1 to 256 characters, not blank and without control characters',
      'rules.yaml:23:26: servers["web-1.example.org"].rules[0].subscriptions[0]: must not have servers; allowed: url, format, headers, template; the rule is of one server',
      'rules.yaml:25:8: servers["a*b"]: must be the id of a server, [A-Za-z0-9_.:~-]{1,256} and neither . nor .., as a string',
    ]);
  });

  it('has urls that webhooks can go to', async () => {
    const to = (url: string) => ({ ...ALWAYS, name: url, subscriptions: [{ servers: ['web-1'], url }] });
    const urls = ['ftp://example.org/', 'https://ann:s3cret@example.org/', '${HOOK}', 'https://example.org/'];
    const path = await file('urls.json', { rules: urls.map(to) });
    const found = await problems(path);
    expect(found.map((line) => line.replace(/^\S+ |, such as .*$/g, ''))).to.deep.equal([
      'rules[0].subscriptions[0].url: must be an http or https URL',
      'rules[1].subscriptions[0].url: must not contain a user name or password; have the receiver verify webhook-signature instead',
      'rules[2].subscriptions[0].url: must be an absolute http or https URL',
    ]);
  });

  it('has no unpaired surrogates in its names and values', async () => {
    const path = await file(
      'half.yaml',
      String.raw`rules:
  - { name: "r\ud800", "x\udfff": 1 }
`,
    );
    expect(await problems(path)).to.deep.equal(
      ['2:13', '2:24'].map((place) => `half.yaml:${place}: holds an unpaired surrogate (\\ud800 to \\udfff)`),
    );
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
    // Of rules that come twice, the second one is an alias of YAML.
    expect(found[0]).to.match(
      /^a.yaml:26:5: rules\[2\].name: rule always is there already, in a.yaml:\d+:11$/,
    );
    expect(found.slice(1).join('\n')).to.match(
      /^b.yaml:1:9: tenant: is other, and demo in a.yaml; all files are of one tenant\nb.yaml:2:13: windowsize: is 6, and 5 in a.yaml; .*\nb.yaml:5:11: rules\[0\].name: rule busy is there already, in a.yaml:4:11\nc.json:1:\d+: servers\["web-1"\].rules\[1\].name: server web-1: rule busy is there already, in b.yaml:21:9$/,
    );
  });

  it('has tests of its rules', async () => {
    const test = { rule: 'busy', csv: 'a.csv', time: 't', metrics: { cpu: 'v' } };
    const content = {
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
    };
    const line = JSON.stringify(content);
    // Each problem, with what the file has at its column in place of the number.
    const found = (await problems(await file('rules.json', content))).map((problem) =>
      problem.replace(/(?<=^rules\.json:1:)\d+/, (column) =>
        line.slice(Number(column) - 1, Number(column) + 5),
      ),
    );
    const member = (i: number, rest: string, start: string) => `rules.json:1:${start}: tests[${i}]${rest}`;
    expect(found).to.have.members([
      member(0, '.rule: rule none is in none of these files', '"none"'),
      member(1, '.rule: server web-1: rule busy is in none of these files', '"busy"'),
      member(
        2,
        ': must not have extra; allowed: rule, server, csv, time, metrics, windowsize, gap, expect',
        '"extra',
      ),
      member(2, '.server: must be the id of the server of the rule, as a string', '"a*b",'),
      member(2, '.csv: must be the path of a CSV file, relative to this file', '5,"tim'),
      member(2, '.windowsize: must be an integer from 1 to 10000', '0,"gap'),
      member(2, '.gap: must be an integer from 0 to 31536000, in seconds', '-1,"ex'),
      member(3, '.time: must be the name of a column of the CSV file', '{"rule'),
      member(
        3,
        '.metrics: must be an object of at least one metric, each with a column of the CSV file, such as {cpu: value}',
        '{}},{"',
      ),
      member(
        4,
        '.metrics: must be an object of at least one metric, each with a column of the CSV file, such as {cpu: value}',
        '{"at":',
      ),
      member(4, '.expect: must not have sent; allowed: firings, held, evaluations, messages', '"sent"'),
      member(4, '.expect.firings: must be an integer from 0 on', '0.5,"h'),
      member(4, '.expect.held: must be a number of seconds, from 0 on', '-1,"se'),
      member(5, '.expect.messages[0].state: must be one of firing, resolved, noData', '"calm"'),
      member(
        5,
        '.expect.messages[0].at: must be a time of ISO 8601 with a zone, such as 2026-11-21T11:00:00Z',
        '"now"}',
      ),
      member(5, '.expect.messages[1]: must be a JSON object', '3]}}]}'),
    ]);
  });

  it('that is no YAML, or has no object, is refused with the line', async () => {
    expect(await problems(await file('a.yaml', 'rules:\n  - a: b: c\n')))
      .to.have.nested.property('[0]')
      .that.match(/^a.yaml:2:8: /);
    expect(await problems(await file('b.yaml', 'rules: []\nrules: []\n')))
      .to.have.nested.property('[0]')
      .that.match(/^b.yaml:2:1: Map keys must be unique/);
    for (const text of ['', '[]', 'text'])
      expect(await problems(await file('c.yaml', text))).to.deep.equal([
        'c.yaml:1:1: file: must be an object with some of tenant, windowsize, rules, servers, tests',
      ]);
    expect(await problems(await file('d.yaml', 'rules: {}\nservers: []\n'))).to.deep.equal([
      'd.yaml:1:8: rules: must be a list',
      'd.yaml:2:10: servers: must be a JSON object: ids of servers, each with its rules',
    ]);
    expect(await problems(await file('e.yaml', 'rules: [!js/x 1]\n')))
      .to.have.nested.property('[0]')
      .that.match(/^e.yaml:1:9: Unresolved tag/);
  });

  it('that is not there is named', async () => {
    const { code, err } = await runRules(['apply', '/none/rules.yaml'], environment);
    expect(code).to.equal(2);
    expect(err).to.match(/^mirzam rules apply: \/none\/rules.yaml: there is no such file\n/);

    expect((await runRules(['apply', '-', '-'], environment)).err).to.match(/only one file can be -/);
    expect((await runRules(['apply'], environment)).err).to.match(/missing required argument 'FILE'/);
  });
});
