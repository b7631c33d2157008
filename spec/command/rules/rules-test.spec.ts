import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { writtenFiles } from '../../written-files.js';
import { BUSY, FULL, runRules } from './rules-stage.js';

const SERIES = fileURLToPath(new URL('../../../../examples/ec2-cpu-ac20cd.csv', import.meta.url));
const TWO_WEEKS = { rule: 'busy', csv: SERIES, time: 'timestamp', metrics: { cpu: 'value' } };
const { condition, for: pending, repeat, resolve } = BUSY;
const CALM = { ...FULL, name: 'busy', condition, for: pending, repeat, resolve };

describe('mirzam rules test', () => {
  const written = writtenFiles();
  const yaml = (name: string, content: object): Promise<string> => written.file(name, stringify(content));
  // No service is there, and none is asked.
  const run = (...args: readonly string[]) =>
    runRules(['test', ...args], { MIRZAM_URL: 'http://127.0.0.1:1' });
  const plain = (text: string): string => text.replaceAll(/(?:\/[^/\s"]+)+\/(?=[\w-]+\.\w+)/g, '');

  it('prints each test with its outcome, without a service', async () => {
    const rules = [CALM, { ...CALM, name: 'plain', for: 0, repeat: undefined, resolve: false }];
    const expected = { firings: 1, held: 135_600, evaluations: 4_020 };
    const tests = [
      { ...TWO_WEEKS, expect: expected },
      { ...TWO_WEEKS, rule: 'plain' },
    ];
    const { code, out, err } = await run(await yaml('rules.yaml', { tenant: 'demo', rules, tests }));
    expect(err).to.equal('');
    expect(plain(out)).to.match(
      /^ok {4}rule busy on ec2-cpu-ac20cd.csv: 1 message, firings 1, held 135600 s, evaluations \d+\nok {4}rule plain on ec2-cpu-ac20cd.csv: \d+ messages, .*\n2 tests: 2 ok, 0 failed, 0 could not be run\n$/,
    );
    expect(code).to.equal(0);
  });

  describe('compares', () => {
    const SERIES_OF_A_NIGHT = [
      'at,load,disk',
      '2026-01-01T00:00:00Z,90,10',
      '2026-01-01T00:01:00Z,90,10',
      '2026-01-01T00:02:00Z,10,99',
      '2026-01-01T00:03:00+01:00,10,',
    ];
    const RULE = {
      ...FULL,
      name: 'hot',
      condition: { cpu: { value: 50, operand: 'greater' } },
      repeat: 0,
      resolve: true,
    };
    const test = async (expected: object, more: object = {}, lines = SERIES_OF_A_NIGHT.slice(0, 4)) => {
      await written.file('night.csv', `${lines.join('\n')}\n`);
      const one = { rule: 'hot', csv: 'night.csv', time: 'at', metrics: { cpu: 'load' } };
      const tests = [{ ...one, ...more, expect: expected }];
      return run(await yaml('rules.yaml', { windowsize: 1, rules: [RULE], tests }));
    };
    const messages = [
      { state: 'firing', at: '2026-01-01T00:00:00Z' },
      { state: 'resolved', at: '2026-01-01T01:02:00+01:00' },
    ];

    it('firings, held, evaluations and messages', async () => {
      const right = { firings: 1, held: 120, evaluations: 3, messages };
      expect((await test(right)).code).to.equal(0);
      for (const [wrong, words] of [
        [{ firings: 2 }, 'firings: 1, expected 2'],
        [{ held: 60 }, 'held: 120, expected 60'],
        [{ evaluations: 4 }, 'evaluations: 3, expected 4'],
        [{ messages: [messages[0]] }, 'messages[1]: resolved at 2026-01-01T00:02:00.000Z, expected none'],
        [
          { messages: [...messages, messages[0]] },
          'messages[2]: none, expected firing at 2026-01-01T00:00:00.000Z',
        ],
        [
          { messages: [messages[0], { ...messages[1], at: '2026-01-01T00:01:00Z' }] },
          'messages[1]: resolved at 2026-01-01T00:02:00.000Z, expected resolved at 2026-01-01T00:01:00.000Z',
        ],
        [{ messages: [] }, 'messages[0]: firing at 2026-01-01T00:00:00.000Z, expected none'],
      ] as const) {
        const { code, out } = await test({ ...right, ...wrong });
        expect(code, words).to.equal(1);
        expect(out).to.equal(
          `FAIL  rule hot on night.csv: 2 messages, firings 1, held 120 s, evaluations 3\n      ${words}\n1 test: 0 ok, 1 failed, 0 could not be run\n`,
        );
      }
      const two = await test({ firings: 2, held: 1 });
      expect(two.out).to.include('\n      firings: 1, expected 2\n      held: 120, expected 1\n');
    });

    it('at the window size and the gap of the test', async () => {
      expect((await test({ evaluations: 2 }, { windowsize: 2 })).code).to.equal(0);
      expect((await test({ evaluations: 0 }, { windowsize: 2, gap: 59 })).code).to.equal(0);
    });

    it('nothing if nothing is expected, and says that no column has a metric of the rule', async () => {
      const { code, out } = await test({}, { metrics: { disk: 'disk' } });
      expect(code).to.equal(0);
      expect(out).to.include('evaluations 0; never evaluated: no column for cpu\n');
    });

    it('nothing of a series that cannot be read, and runs the others', async () => {
      const { code, out } = await test({}, {}, SERIES_OF_A_NIGHT);
      expect(code).to.equal(2);
      expect(out).to.match(
        /^ERROR rule hot on night.csv\n {6}night.csv: line 5: at: must not be earlier .*\n1 test: 0 ok, 0 failed, 1 could not be run\n$/,
      );
    });
  });

  it('plays the rule of a server, with any metric, from the folder of the file', async () => {
    await written.file('queue.csv', 't,q\n1767225600,5\n1767225660,7\n');
    const rule = { ...FULL, condition: { queue: { value: 4, operand: 'greater', aggregate: 'last' } } };
    const tests = [
      {
        rule: FULL.name,
        server: 'web-1',
        csv: './queue.csv',
        time: 't',
        metrics: { queue: 'q' },
        windowsize: 1,
        expect: { firings: 2 },
      },
    ];
    const path = await yaml('rules.yaml', { servers: { 'web-1': { rules: [rule] } }, tests });
    const { code, out } = await run(path);
    expect([code, out.split(':')[0]]).to.deep.equal([0, 'ok    server web-1']);
  });

  it('takes the tests of all files, and needs some', async () => {
    const rules = await yaml('rules.yaml', { rules: [CALM] });
    const tests = await yaml('tests.yaml', { tests: [TWO_WEEKS] });
    expect((await run(rules, tests)).out).to.match(/\n1 test: 1 ok/);
    const none = await run(rules);
    expect(none).to.deep.equal({ code: 2, out: '', err: 'mirzam rules test: these files have no tests\n' });
    const alone = await run(tests);
    expect(alone.code).to.equal(2);
    expect(alone.err).to.match(/tests\[0\].rule: rule busy is in none of these files\n$/);
  });

  it('writes a report in the format of JUnit', async () => {
    const name = 'a<b> & "c"';
    const tests = [
      { ...TWO_WEEKS, expect: { firings: 1 } },
      { ...TWO_WEEKS, rule: name, expect: { firings: 0, held: 1 } },
      { ...TWO_WEEKS, csv: 'none.csv' },
    ];
    const path = await yaml('rules.yaml', { rules: [CALM, { ...CALM, name }], tests });
    const report = written.pathOf('report.xml');
    const { code } = await run('--junit', report, path);
    expect(code).to.equal(2);
    const text = plain((await readFile(report, 'utf8')).replaceAll(/ time="\d+\.\d{3}"/g, ''));
    expect(text).to.equal(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mirzam rules test" tests="3" failures="1" errors="1">
  <testsuite name="mirzam rules test" tests="3" failures="1" errors="1">
    <testcase classname="rules.yaml" name="rule busy on ec2-cpu-ac20cd.csv"/>
    <testcase classname="rules.yaml" name="rule &quot;a&lt;b&gt; &amp; \\&quot;c\\&quot;&quot; on ec2-cpu-ac20cd.csv">
      <failure message="firings: 1, expected 0">firings: 1, expected 0
held: 135600, expected 1</failure>
    </testcase>
    <testcase classname="rules.yaml" name="rule busy on none.csv">
      <error message="none.csv: there is no such file (none.csv)">none.csv: there is no such file (none.csv)</error>
    </testcase>
  </testsuite>
</testsuites>
`);
    const refused = await run('--junit', written.pathOf('none/report.xml'), path);
    expect(refused.code).to.equal(2);
    expect(refused.err).to.match(/report.xml cannot be written: there is no such folder/);
  });
});
