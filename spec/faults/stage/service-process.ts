import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

/** How long a start may take, ms. */
const READY_MS = 45_000;

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The service in a process of its own, as `npm start` runs it. */
export interface Launched {
  readonly pid: number;
  /** Resolves when it says that it is ready; rejects with what it logged when it ends before. */
  readonly ready: Promise<{ readonly url: string; readonly tookMs: number }>;
  readonly exited: Promise<Exit>;
  /** Has `ready` reject, with a reason and what it wrote so far. */
  giveUp(reason: string): void;
  /** Everything it wrote so far. */
  output(): string;
  /** Resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<Exit>;
}

/** Starts services on free ports and one data folder, and ends those that still run. */
export interface Launcher {
  readonly folder: string;
  /** `settings` over those of the launcher; `nodeArgs` are Node's own. */
  launch(
    settings?: Readonly<Record<string, string>>,
    args?: readonly string[],
    nodeArgs?: readonly string[],
  ): Launched;
  /** Launches, and waits until it is ready. */
  start(
    settings?: Readonly<Record<string, string>>,
    nodeArgs?: readonly string[],
  ): Promise<Launched & { readonly url: string }>;
  /** SIGKILL for all that still run; removes the data folder. */
  close(): Promise<void>;
}

/**
 * Makes a launcher with an empty data folder. Nothing of this process's environment reaches the services, which have no
 * ledger unless they are told so.
 */
export async function launcher(settings: Readonly<Record<string, string>> = {}): Promise<Launcher> {
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-faults-'));
  const all: Launched[] = [];
  let closed = false;
  const launch: Launcher['launch'] = (more = {}, args = [], nodeArgs = []) => {
    // A spec whose time was over may still go on.
    if (closed) throw new Error('the launcher is closed');
    const launched = run({ DATA_DIR: folder, ...settings, ...more }, [...nodeArgs, MAIN, ...args]);
    all.push(launched);
    return launched;
  };
  return {
    folder,
    launch,
    async start(more, nodeArgs) {
      const launched = launch(more, [], nodeArgs);
      const late = setTimeout(() => launched.giveUp(`not ready in ${READY_MS} ms`), READY_MS);
      const { url } = await launched.ready.finally(() => clearTimeout(late));
      return { ...launched, url };
    },
    async close() {
      closed = true;
      await Promise.all(all.map((launched) => launched.kill('SIGKILL')));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function run(settings: Readonly<Record<string, string>>, args: readonly string[]): Launched {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], PORT: '0', LEDGER: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let giveUp = (_reason: string): void => undefined;
  const exited = once(child, 'exit').then(([code, signal]): Exit => ({ code, signal }));
  const ready = new Promise<{ url: string; tookMs: number }>((resolve, reject) => {
    const read = (text: string): void => {
      output += text;
      const url = /"url":"([^"]+)","msg":"[^"]*is ready"/.exec(output)?.[1];
      if (url !== undefined) resolve({ url, tookMs: performance.now() - startedAt });
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    giveUp = (reason) => reject(new Error(`the service is not there: ${reason}; it wrote ${output}`));
    void exited.then(() => giveUp('it ended before it was ready'));
  });
  // Who kills it in its start does not wait for it.
  ready.catch(() => undefined);
  return {
    pid: child.pid!,
    ready,
    exited,
    giveUp: (reason) => giveUp(reason),
    output: () => output,
    kill(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
