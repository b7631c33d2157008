import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runWords } from '../../command/command-runs.js';
import type { WrittenFiles } from '../../written-files.js';
import type { Vector } from './vectors.js';

/** What a verifier has printed, and its exit code. */
export interface VerifierRun {
  readonly code: number | undefined;
  readonly out: string;
}

export const SCRIPT = fileURLToPath(new URL('../../../../examples/verify_proof.py', import.meta.url));

/** Adds a hook to a `describe`: its specs are skipped, visibly, without Python; with CI=true they fail. */
export function specPython(): void {
  before(function () {
    try {
      execFileSync('python3', ['--version']);
    } catch {
      const missing = 'no python3: apt-get install python3';
      if (process.env['CI'] === 'true') throw new Error(missing);
      console.log(`Skipping specs: ${missing}`);
      this.skip();
    }
  });
}

/** Runs `mirzam verify` in this process. */
export async function byCommand(vector: Vector, written: WrittenFiles): Promise<VerifierRun> {
  const { code, out } = await runWords(['verify', ...(await argumentsOf(vector, written))]);
  return { code, out };
}

/** Runs the script for each line of arguments, as its command does. */
const EACH = `
import contextlib, io, json, runpy, sys
for arguments in json.load(sys.stdin):
    sys.argv, out, code = arguments, io.StringIO(), 0
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path(arguments[0], run_name='__main__')
    except SystemExit as end:
        code = end.code
    print(json.dumps({'code': code, 'out': out.getvalue()}))
`;

/** Runs examples/verify_proof.py for each vector, all in one process. */
export async function byPython(
  vectors: readonly Vector[],
  written: WrittenFiles,
): Promise<readonly VerifierRun[]> {
  const calls: (readonly string[])[] = [];
  for (const [i, vector] of vectors.entries())
    calls.push([SCRIPT, ...(await argumentsOf(vector, written, String(i)))]);
  const { stdout, stderr } = await ended('python3', ['-c', EACH], JSON.stringify(calls));
  if (stderr !== '') throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as VerifierRun);
}

/** Runs examples/verify_proof.py as a program. */
export async function asProgram(vector: Vector, written: WrittenFiles): Promise<VerifierRun> {
  const { status, stdout } = await ended('python3', [SCRIPT, ...(await argumentsOf(vector, written))]);
  return { code: status ?? undefined, out: stdout };
}

/** Prints the number of bytes that the script copies when it reads a list of 4,000 items, for each byte of the list. */
const COPIES = `
import runpy, sys

class Counting(bytes):
    copied = 0
    def __getitem__(self, key):
        part = super().__getitem__(key)
        if isinstance(part, int):
            return part
        Counting.copied += len(part)
        return Counting(part)

script = runpy.run_path(sys.argv[1])
data = script['encode']([[bytes(20), []]] * 4_000)
script['items_in'](Counting(data))
print(Counting.copied / len(data))
`;

/** Returns how many bytes examples/verify_proof.py copies for each byte of a list with thousands of items. */
export async function pythonCopies(): Promise<number> {
  const { stdout, stderr } = await ended('python3', ['-c', COPIES, SCRIPT]);
  if (stderr !== '') throw new Error(stderr);
  return Number(stdout);
}

async function ended(command: string, args: readonly string[], input = '') {
  const child = spawn(command, args);
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, stdout, stderr };
}

async function argumentsOf(vector: Vector, written: WrittenFiles, prefix = ''): Promise<readonly string[]> {
  const { file, kind, content, bytes, expected = {} } = vector;
  const proof = await written.file(`${prefix}proof.json`, file);
  const options = { 'block-hash': expected.blockHash, contract: expected.contract, from: expected.from };
  return [
    '--proof',
    proof,
    `--${kind}`,
    await written.file(`${prefix}content.json`, bytes ?? content),
    ...Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
  ];
}
