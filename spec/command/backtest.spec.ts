import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runCommandLine } from '../../src/command/command-line.js';
import { PLAIN_RULE, QUIET_RULE } from '../policy/model/cpu-series.js';
import { writtenFiles } from '../written-files.js';

const SERIES = fileURLToPath(new URL('../../../examples/ec2-cpu-ac20cd.csv', import.meta.url));
const REST = { name: 'busy', action: { actionName: 'notify-scale', operation: 'scaleUp' } };
const PLAIN = { ...REST, ...PLAIN_RULE };
const QUIET = { ...REST, ...QUIET_RULE };

describe('mirzam backtest', () => {
  const written = writtenFiles();

  async function run(args: readonly string[], { stdin = '', columns = 80 } = {}) {
    let [out, err] = ['', ''];
    const streams = {
      stdin: Readable.from([Buffer.from(stdin)]),
      stdout: { write: (text: string) => (out += text), columns },
      stderr: { write: (text: string) => (err += text) },
    };
    const code = await runCommandLine(['backtest', ...args], { streams, version: '1.2.3' });
    return { code, out, err };
  }

  /** Tries a rule on a CSV text. Returns the answer. */
  async function answered(rule: object, csv: string, ...more: readonly string[]) {
    const files = [
      '--rule',
      await written.file('rule.json', rule),
      '--csv',
      await written.file('a.csv', csv),
    ];
    const { code, out, err } = await run([...files, '--json', ...more]);
    expect(code, err).to.equal(0);
    return JSON.parse(out) as {
      evaluations: number;
      firings: number;
      held: number;
      messages: { at: string }[];
    };
  }
  const cpu = ['--time', 'time', '--metric', 'cpu=load'];

  it('says the one firing of the rule that the README and the page of the policy API try', async () => {
    for (const page of ['README.md', 'docs/policy-api.md']) {
      const text = await readFile(fileURLToPath(new URL(`../../../${page}`, import.meta.url)), 'utf8');
      const [, rule, options] =
        /^cat > \/tmp\/rule\.json <<'END'\n([^]+?)\nEND\nnpx mirzam backtest --rule \/tmp\/rule\.json (.+)$/m.exec(
          text,
        )!;
      const given = options!.replace('examples/ec2-cpu-ac20cd.csv', SERIES).split(' ');
      const { code, out, err } = await run(['--rule', await written.file('shown', rule), '--json', ...given]);
      expect({ code, err }, page).to.deep.equal({ code: 0, err: '' });
      expect(JSON.parse(out), page).to.include({ firings: 1, held: 135_600 });
    }
  });

  it('prints the figures of the CPU series with a chart, the counts and each period', async () => {
    const given = ['--csv', SERIES, '--time', 'timestamp', '--metric', 'cpu=value', '--rule'];
    const quiet = await run([...given, await written.file('quiet', QUIET)]);
    expect(quiet).to.include({ code: 0, err: '' });
    const lines = quiet.out.split('\n');
    expect(lines[0]).to.equal('busy: cpu > 85 (clears at 70)');
    for (const line of [
      /^ +85 ┼╌+/,
      /^ +70 ┼╌+/,
      /^ +held +━{9}$/,
      /^ +firing +▲$/,
      /^ +2014-04-02 14:29 +2014-04-16 14:49$/,
      /^1 firing, 1 message, 4020 evaluations of 4032 facts$/,
      /^held for 135600 s \(37 h 40 min\) in 1 period:$/,
      /^ {2}2014-04-15T01:09:00Z to 2014-04-16T14:49:00Z: 135600 s \(37 h 40 min\), and goes on after the last fact$/,
    ]) {
      expect(
        lines.filter((one) => line.test(one)),
        String(line),
      ).to.have.length(1);
    }
    expect(Math.max(...lines.slice(1, -5).map((line) => line.length))).to.be.lessThan(80);
    const plain = await run([...given, await written.file('plain', PLAIN)]);
    expect(plain.out).to.include('453 firings, 453 messages, ');
  });

  it('prints the time for which a rule held to the second', async () => {
    const csv =
      'time,load\n2026-11-21 10:00:00,90\n2026-11-21 10:01:59,40\n2026-11-21 11:00:00,90\n2026-11-21 12:00:01,1\n';
    const files = ['--rule', await written.file('rule', PLAIN), '--csv', await written.file('a.csv', csv)];
    const { out } = await run([...files, ...cpu, '--windowsize', '1', '--gap', '0']);
    expect(out).to.include('10:00:00Z to 2026-11-21T10:01:59Z: 119 s (1 min 59 s)\n');
    expect(out).to.include('11:00:00Z to 2026-11-21T12:00:01Z: 3601 s (1 h 1 s)\n');
    expect(out).to.include('held for 3720 s (1 h 2 min) in 2 periods:\n');
  });

  it('prints the answer of the API with --json', async () => {
    const csv = 'time,load\n2026-11-21T10:00:00Z,90\n2026-11-21T10:01:00Z,40\n';
    const rule = { ...PLAIN, repeat: 0, resolve: true };
    expect(await answered(rule, csv, ...cpu, '--windowsize', '1')).to.deep.equal({
      evaluations: 2,
      messages: [
        { index: 0, at: '2026-11-21T10:00:00.000Z', state: 'firing', measures: { cpu: 90 } },
        { index: 1, at: '2026-11-21T10:01:00.000Z', state: 'resolved', measures: { cpu: 40 } },
      ],
      firings: 1,
      held: 60,
    });
  });

  it('reads times with a zone, without one as UTC, and seconds or ms since 1970', async () => {
    for (const time of [
      '2026-11-21T10:00:00Z',
      '2026-11-21T11:30:00+01:30',
      '2026-11-21 10:00:00',
      '2026-11-21 10:00',
      '2026-11-21 10:00:00 UTC',
      '2026-11-21T10:00:00.000',
      '1795255200',
      '1795255200000',
    ]) {
      const { messages } = await answered(PLAIN, `time,load\n${time},90\n`, ...cpu, '--windowsize', '1');
      expect(
        messages.map(({ at }) => at),
        time,
      ).to.deep.equal(['2026-11-21T10:00:00.000Z']);
    }
  });

  it('reads several metrics, of any name, and leaves out what a row does not measure', async () => {
    const condition = {
      any: [{ queue: { value: 100, operand: 'greater' } }, { cpu: { value: 85, operand: 'greater' } }],
    };
    const csv =
      '\uFEFF"time";load;"length; of ""queue"""\r\n2026-11-21 10:00;90;\r\n2026-11-21 10:01;;500\r\n\r\n2026-11-21 10:02;;\r\n';
    const found = await answered(
      { ...REST, condition },
      csv,
      ...cpu,
      '--metric',
      'queue=length; of "queue"',
      '--windowsize',
      '1',
    );
    expect(found).to.deep.include({ evaluations: 1, firings: 1 });
  });

  it('empties windows after the gap that is given, by default after 300 s', async () => {
    const csv = 'time,load\n2026-11-21 10:00,90\n2026-11-21 10:05,90\n2026-11-21 10:10:01,90\n';
    const two = ['--windowsize', '2'];
    expect((await answered(PLAIN, csv, ...cpu, ...two)).firings).to.equal(1);
    expect((await answered(PLAIN, csv, ...cpu, ...two, '--gap', '0')).firings).to.equal(2);
    expect((await answered(PLAIN, csv, ...cpu, ...two, '--gap', '60')).firings).to.equal(0);
  });

  it('reads a file from the standard input', async () => {
    const args = ['--rule', await written.file('rule', PLAIN), '--csv', '-', ...cpu, '--windowsize', '1'];
    const { code, out } = await run(args, { stdin: 'time,load\n2026-11-21 10:00,90\n' });
    expect([code, out.includes('1 firing, 1 message, 1 evaluation of 1 fact')]).to.deep.equal([0, true]);
  });

  it('says what is wrong, with the line of the file, and ends with 2', async () => {
    const rule = ['--rule', await written.file('rule', PLAIN)];
    const good = await written.file('good', 'time,load\n2026-11-21 10:00,90\n');
    let files = 0;
    const on = async (csv: string): Promise<string[]> => [
      ...rule,
      '--csv',
      await written.file(`bad-${(files += 1)}`, csv),
      ...cpu,
    ];
    const cases: readonly (readonly [readonly string[], string])[] = [
      [[], '--rule, --csv and --time are required'],
      [[...rule, '--csv', good, '--time', 'time'], '--metric is required'],
      [[...rule, '--csv', good, '--time', 'time', '--metric', 'cpu'], '--metric must be NAME=COLUMN'],
      [[...rule, '--csv', good, ...cpu, '--metric', 'cpu=time'], '--metric names cpu twice'],
      [
        [...rule, '--csv', good, '--time', 'when', '--metric', 'cpu=load'],
        'no column "when"; there are time, load',
      ],
      [
        [...rule, '--csv', good, ...cpu, '--windowsize', 'x'],
        'windowsize: must be an integer from 1 to 10000',
      ],
      [[...rule, '--csv', written.pathOf('none'), ...cpu], 'there is no such file'],
      [[...rule, '--csv', good, ...cpu, '--all'], "unknown option '--all'"],
      [['--rule', good, '--csv', good, ...cpu], `${good}: the file is not JSON: `],
      ...['any', 'at', 'cpuLoadPct', 'a b'].map(
        (name) =>
          [
            [...rule, '--csv', good, '--time', 'time', '--metric', `${name}=load`],
            `--metric: ${JSON.stringify(name)} is not a metric; allowed: cpu, mem, hdd, net, and other names of `,
          ] as const,
      ),
      [await on('time,load\n2026-11-21 10:00,90\n\nnoon,91\n'), 'line 4: time must be a time of ISO 8601'],
      [await on('time,load\n2026-11-21 10:00,high\n'), 'line 2: load must be a number, not "high"'],
      [await on('time,load\n\n2026-11-21 10:00,101\n'), 'line 3: cpu: must be a number from 0 to 100'],
      [await on('time,load\n2026-11-21 10:00,1\n2026-11-21 09:00,1\n'), 'line 3: at: must not be earlier'],
      [
        await on('time,load\n2026-11-21 12:00,1\n2026-11-21 11:00,1\n2026-11-21 10:00,1\n'),
        'than that of the fact before it, here and in 1 more: sort the facts by time, ascending',
      ],
      [await on('time,load\n"2026-11-21 10:00,1\n'), 'line 2: a quote does not end'],
      [await on(''), 'there is no column "time"; there are none'],
    ];
    for (const [args, words] of cases) {
      const { code, out, err } = await run(args);
      expect([code, out], words).to.deep.equal([2, '']);
      expect(err)
        .to.match(/^mirzam backtest: .*\nRun "mirzam backtest --help"/s)
        .and.to.include(words);
    }
  });

  it('says which metrics of the rule have no column', async () => {
    const condition = { any: [{ queue: { value: 1, operand: 'less' } }, PLAIN.condition] };
    const rule = ['--rule', await written.file('rule', { ...REST, condition })];
    const csv = ['--csv', await written.file('a.csv', 'time,load\n2026-11-21 10:00,90\n')];
    const { code, out, err } = await run([...rule, ...csv, ...cpu, '--windowsize', '1']);
    expect([code, err]).to.deep.equal([
      0,
      'mirzam backtest: the rule is never evaluated: no --metric gives queue; add --metric queue=COLUMN\n',
    ]);
    expect(out).to.include('0 evaluations of 1 fact');
  });

  it('explains itself with --help', async () => {
    const { code, out } = await run(['--help']);
    expect(code).to.equal(0);
    expect(out).to.match(/^Usage: mirzam backtest --rule FILE/);
  });

  it('draws the largest numbers, and a metric whose name is a member of every object', async () => {
    const condition = { constructor: { value: 1, operand: 'greater' }, q: { value: 1, operand: 'greater' } };
    const csv = 'time,c,q\n2026-01-01,,1.7e308\n2026-01-02,5,-1.7e308\n2026-01-03,5,1e308\n';
    const files = [
      '--rule',
      await written.file('r.json', { ...REST, condition }),
      '--csv',
      await written.file('a.csv', csv),
    ];
    const metrics = ['--time', 'time', '--metric', 'constructor=c', '--metric', 'q=q', '--windowsize', '1'];
    const { code, out, err } = await run([...files, ...metrics]);
    expect(code, err).to.equal(0);
    expect(out).to.match(/^ *1\.7e\+308 ┤•/m);
    expect(out).to.match(/^ *-1\.7e\+308 ┤ +•$/m);
    expect(out).not.to.match(/NaN|Infinity/);
  });
});
