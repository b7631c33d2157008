import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, relative to the compiled spec. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Output and status of a script. */
export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A small repository in a temporary folder. */
export interface Fixture {
  readonly folder: string;
  /** Writes files by their paths in the folder. */
  write(files: Readonly<Record<string, string>>): void;
  /** Copies files or folders of the real repository to the same paths. */
  copy(...names: readonly string[]): void;
  /** Runs Node in the folder. */
  node(...args: readonly string[]): Promise<Run>;
  remove(): void;
}

export function makeFixture(): Fixture {
  const folder = mkdtempSync(path.join(tmpdir(), 'mirzam-scripts-'));
  return {
    folder,
    write(files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        writeFileSync(path.join(folder, name), text);
      }
    },
    copy(...names) {
      for (const name of names) {
        cpSync(path.join(repository, name), path.join(folder, name), { recursive: true });
      }
    },
    node: (...args) => run(folder, args),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function run(cwd: string, args: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const channel of ['stdout', 'stderr'] as const) {
    child[channel].setEncoding('utf8').on('data', (text: string) => {
      printed[channel] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (status) => resolve({ status, ...printed }));
  });
}
