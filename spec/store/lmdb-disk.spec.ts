import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';

const CHILD = fileURLToPath(new URL('disk-child.js', import.meta.url));

/** What the process under strace printed, one line for each commit. */
interface Run {
  readonly lines: readonly string[];
  /** Calls to the system, one a line. */
  readonly calls: readonly string[];
}

describe('the embedded store and its disk', function () {
  this.timeout(60_000);
  let folder: string;

  before(function () {
    if (spawnSync('strace', ['-V']).status === 0) return;
    const missing = 'strace is not installed: apt-get install strace';
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log(`Skipping the specs that watch the disk: ${missing}`);
    this.skip();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'store-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs the child on a folder under strace, with faults of the disk injected where given. */
  async function run(...faults: readonly string[]): Promise<Run> {
    const [data, log] = [join(folder, 'data'), join(folder, 'calls')];
    const watched = ['-f', '-qq', '-y', '-e', 'trace=pwrite64,writev,fdatasync,write', ...faults, '-o', log];
    const { stdout } = await promisify(execFile)('strace', [...watched, process.execPath, CHILD, data]);
    const calls = (await readFile(log, 'utf8')).split('\n');
    return { lines: stdout.trim().split('\n').filter((line) => line !== 'ask'), calls };
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
    const { lines } = await run('-e', 'inject=fdatasync:error=EIO:when=7');
    const failed = lines.filter((line) => line.startsWith('StoreUnavailable'));
    expect(failed.length).to.be.within(1, 4);
    expect(failed[0]).to.match(/^StoreUnavailable The store in \S+ failed: Input\/output error$/);
    expect(lines.filter((line) => line === 'won')).to.have.lengthOf(40 - failed.length);
    expect(lines.at(-1)).to.equal('closed');
  });

  it('is unavailable from then on where lmdb gives up after a failed write, and can still be closed', async () => {
    let given = false;
    for (let when = 10; when < 16 && !given; when += 1) {
      const { lines } = await run('-e', `inject=pwrite64:error=EIO:when=${when}`, '-P', join(folder, 'data', 'data.mdb'));
      const stuck = lines.findIndex((line) => line.includes('did not confirm a commit in 500 ms'));
      expect(lines.at(-1)).to.equal('closed');
      if (stuck !== -1) {
        given = true;
        const rest = lines.slice(stuck + 1, -1);
        expect(rest.every((line) => line.endsWith('does not confirm commits'))).to.equal(true);
        expect(rest.length).to.be.above(0);
      }
      await rm(join(folder, 'data'), { recursive: true });
    }
    expect(given, 'no failed write made lmdb give up').to.equal(true);
  });
});

/** What a call to the system means here; undefined for others. The page with the root goes to an O_DSYNC descriptor. */
function eventOf(call: string): string | undefined {
  if (/ write\(1<.*"ask/.test(call)) return 'ask';
  if (/ write\(1<.*"won/.test(call)) return 'acknowledge';
  if (!call.includes('data.mdb>')) return undefined;
  if (/ fdatasync\(.*= 0$/.test(call)) return 'sync';
  if (/ pwrite64\(.*, 128, \d+\) += 128$/.test(call)) return 'root';
  return 'page';
}
