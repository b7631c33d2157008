import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { plant, PLANTED, type Planted } from '../../scripts/faults/planted.js';

const PROGRAM = fileURLToPath(new URL('../../scripts/faults.js', import.meta.url));

/** Exit code without Go or a database. */
const UNUSABLE = 2;

describe('npm run faults', () => {
  /** Runs one round on two nodes. Returns undefined, after a line on the console, if a program that it needs is missing. */
  async function oneRound(options: string): Promise<{ code: number; output: string } | undefined> {
    const round = `--rounds 1 --store mongodb --nodes 2 --routing random ${options}`;
    const child = spawn(process.execPath, [PROGRAM, ...round.split(' ')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'exit') as Promise<[number]>;
    const [[code], said, complaint] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
    const output = said + complaint;
    if (code !== UNUSABLE || process.env['CI'] === 'true') return { code, output };
    console.log(`Skipping: ${output}`);
    return undefined;
  }

  it('finds every history linearizable, every message delivered once and in order, under kill -9', async function () {
    const run = await oneRound('--seed 20261 --seconds 12 --faults kill,network --loads facts,order');
    if (run === undefined) return this.skip();
    expect(run.code, run.output).to.equal(0);
    const [, facts, operations] = /: (\d+) facts, (\d+) operations in histories/.exec(run.output) ?? [];
    expect(Number(facts), run.output).to.be.above(10);
    expect(Number(operations)).to.be.above(Number(facts));
  });

  it('finds in the compiled service the place of each fault that it plants', () => {
    for (const name of Object.keys(PLANTED) as Planted[]) rmSync(plant(name).folder, { recursive: true });
  });

  it('finds a commit that does not compare the revision', async function () {
    const run = await oneRound('--seed 20262 --seconds 8 --faults pause --loads facts --planted no-fence');
    if (run === undefined) return this.skip();
    expect(run.code, run.output).to.equal(1);
    expect(run.output)
      .to.match(
        /server-\d+ is not linearizable: \d+ of \d+ operations have an order; none has a place for \w/,
      )
      .and.to.match(/Repeat it: npm run faults -- --rounds 1 --seed 20262 .*--planted no-fence/);
  });
});
