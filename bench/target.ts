import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reservedPort } from '../spec/servers/ports.js';

/** Node's flags of the service, also for the baselines. */
const NODE_FLAGS = nodeFlags();

/** A server under load, in a separate process. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts one of the baselines. `file`: its path, relative to this file. */
export async function startBaseline(name: string, file: string): Promise<Target> {
  const port = await reservedPort();
  const script = fileURLToPath(new URL(file, import.meta.url));
  return started(
    name,
    port,
    spawn(process.execPath, [...NODE_FLAGS, script, String(port)], { stdio: 'inherit' }),
    '/',
  );
}

/** Starts the service on an empty data folder. `settings` override its defaults. `script`: its main file. */
export async function startMirzam(
  name: string,
  settings: Record<string, string> = {},
  script: string = fileURLToPath(new URL('../src/main.js', import.meta.url)),
): Promise<Target> {
  const port = await reservedPort();
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-bench-'));
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    LEDGER: 'off',
    ...settings,
  };
  const child = spawn(process.execPath, [...NODE_FLAGS, script], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const target = await started(name, port, child, '/health');
  return {
    ...target,
    async stop() {
      await target.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function nodeFlags(): string[] {
  const program = readFileSync(new URL('../../bin/mirzam.js', import.meta.url), 'utf8');
  const flags = / exec node ((?:--\S+ )+)"\$0"/.exec(program)?.[1];
  if (flags === undefined) throw new Error('bin/mirzam.js does not name the flags of Node');
  return flags.trim().split(' ');
}

async function started(name: string, port: number, child: ChildProcess, path: string): Promise<Target> {
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 120_000;
  for (;;) {
    const answered = await fetch(url + path).then(
      () => true,
      () => false,
    );
    if (answered) break;
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill();
      throw new Error(`${name} did not start`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    name,
    url,
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
