/**
 * Runs the compiled specs: those of `npm test`, or all of them with the argument `all` (tiers.js). Exits with 1 if a run
 * failed, after all runs.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runsOf } from './tiers.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const mocha = path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');

/** Linux has a file system in memory here. */
const MEMORY = '/dev/shm';
/** Free bytes that it needs for the data of the specs. */
const ROOM = 2 * 1024 ** 3;

/**
 * Flags of Node for parallel runs, which save CPU time. With more room for new objects, less garbage is collected: a
 * fifteenth. Most functions run for a moment only, so that they are optimized after eight times as many calls (the default
 * is 67,584 bytes of bytecode), and many run again much later, so that they are not forgotten: another 5 to 9 %.
 */
const FLAGS = [
  '--max-semi-space-size=64',
  '--min-semi-space-size=32',
  '--interrupt-budget=540672',
  '--no-flush-bytecode',
];

const all = process.argv[2] === 'all';
const files = readdirSync(path.join(root, 'dist', 'spec'), { recursive: true })
  .filter((name) => name.endsWith('.spec.js'))
  .map((name) => path.join('dist', 'spec', name))
  .toSorted();

/**
 * Makes a folder in memory for the data of the specs, where commits need not wait for a disk; undefined if there is none.
 * With `all` the data are on the disk.
 */
function folderInMemory() {
  if (all || process.env.TMPDIR !== undefined) return undefined;
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ROOM) return undefined;
    const made = mkdtempSync(path.join(MEMORY, 'mirzam-'));
    // As the folder for temporary files of the system: some specs act as another user.
    chmodSync(made, 0o1777);
    return made;
  } catch {
    return undefined;
  }
}

const folder = folderInMemory();

/** Runs mocha on the files of a run (tiers.js). Returns true if all passed. */
function run({ files, atOnce: atOnceOn }) {
  const atOnce = atOnceOn(Math.max(2, availableParallelism()));
  // With one job, `--parallel` loads the files by require(), which refuses a module with top-level await.
  const jobs = atOnce === 1 ? [] : ['--parallel', '--jobs', String(atOnce)];
  const flags = atOnce === 1 ? [] : FLAGS;
  process.stdout.write(`\n=== ${files.length} files of specs, ${atOnce} at once\n`);
  const env = { ...process.env, ...(all && { SPECS: 'all' }), ...(folder && { TMPDIR: folder }) };
  const { status } = spawnSync(process.execPath, [...flags, mocha, ...jobs, ...files], {
    cwd: root,
    stdio: 'inherit',
    env,
  });
  return status === 0;
}

try {
  process.exitCode = runsOf(files, all).map(run).every(Boolean) ? 0 : 1;
} finally {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
