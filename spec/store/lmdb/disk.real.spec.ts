import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const STRACE = 'strace';
const CHILD = fileURLToPath(new URL('disk-child.js', import.meta.url));

/** A sync of the thread that commits, in the middle of the commits: the main thread syncs eleven times to make the tables. */
const FAULTY = 12;
/** Delay of that sync, ms. */
const standstill = (ms: number): string => `fdatasync:delay_enter=${ms * 1_000}:when=${FAULTY}`;

/** Lines printed by the process under strace, one for each commit. */
interface Run {
  readonly lines: readonly string[];
  /** System calls, one a line. */
  readonly calls: readonly string[];
}

describe('the embedded store and its disk', () => {
  let folder: string;

  before(function () {
    if (spawnSync(STRACE, ['-V']).status === 0) return;
    const missing = 'strace is not installed: apt-get install strace';
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log(`Skipping the specs that watch the disk: ${missing}`);
    this.skip();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs the child on a folder under strace, with a fault of the disk if one is given. */
  async function run(fault?: string, ending = 'go on'): Promise<Run> {
    const log = join(folder, 'calls');
    const watched = ['-f', '-qq', '-y', '-e', 'trace=pwrite64,writev,fdatasync,write'];
    const injected = fault === undefined ? [] : ['-e', `inject=${fault}`];
    const command = [process.execPath, CHILD, join(folder, 'data'), ending];
    const args = [...watched, ...injected, '-o', log, ...command];
    // strace counts the calls of each thread, so one thread commits: its eleventh sync is the eleventh commit.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
    const { stdout } = await promisify(execFile)(STRACE, args, { env });
    const lines = stdout
      .trim()
      .split('\n')
      .filter((line) => line !== 'ask');
    return { lines, calls: (await readFile(log, 'utf8')).split('\n') };
  }

  it('acknowledges a commit only when its pages, and then the page that points to them, are on the disk', async () => {
    const { lines, calls } = await run();
    expect(lines).to.have.lengthOf(41);
    expect(lines.at(-1)).to.equal('closed');
    const events = calls.flatMap((call) => eventOf(call) ?? []);
    const history = events.join(' ');
    expect(history.match(/ask (?:page )+sync root acknowledge/g)).to.have.lengthOf(40);
    expect(events.filter((event) => event === 'acknowledge')).to.have.lengthOf(40);
  });

  it('is unavailable for a commit that the disk failed to sync, and goes on with the next', async () => {
    const { lines } = await run(`fdatasync:error=EIO:when=${FAULTY}`);
    const failed = lines.filter((line) => line.startsWith('StoreUnavailable'));
    expect(failed).to.have.lengthOf(1);
    expect(failed[0]).to.match(/^StoreUnavailable The store in \S+ failed: Input\/output error$/);
    expect(lines.filter((line) => line === 'won')).to.have.lengthOf(lines.length - 1 - failed.length);
    expect(lines.at(-1)).to.equal('closed');
  });

  it('is unavailable while the disk hangs, refuses further commits meanwhile, and goes on afterwards', async () => {
    const { lines } = await run(standstill(900));
    const late = lines.findIndex((line) =>
      /^StoreUnavailable .* did not confirm a commit in 300 ms$/.test(line),
    );
    expect(late).to.be.above(0);
    expect(lines[late + 1]).to.match(/^StoreUnavailable The disk of \S+ does not confirm commits$/);
    expect(lines.slice(late + 2)).to.include('won');
    expect(lines.at(-1)).to.equal('closed');
  });

  it('can be closed while the disk hangs', async () => {
    const { lines } = await run(standstill(4_000), 'give up');
    expect(lines.at(-2)).to.match(/does not confirm commits$/);
    expect(lines.at(-1)).to.equal('closed');
  });
});

/** Returns the meaning of a system call; undefined for others. The root page goes to an O_DSYNC descriptor. */
function eventOf(call: string): string | undefined {
  if (/ write\(1<.*"ask/.test(call)) return 'ask';
  if (/ write\(1<.*"won/.test(call)) return 'acknowledge';
  if (!call.includes('data.mdb>')) return undefined;
  if (/ fdatasync\(.*= 0$/.test(call)) return 'sync';
  if (/ pwrite64\(.*, 128, \d+\) += 128$/.test(call)) return 'root';
  return 'page';
}
