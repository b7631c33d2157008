import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SOON_MS } from './eventually.js';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

/** Time limit of a start, ms. */
const READY_MS = SOON_MS;

/** End of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The service in a separate process, as `npm start` runs it. */
export interface Launched {
  readonly pid: number;
  /** Resolves once the service is ready. Rejects with its log if it ends before. */
  readonly ready: Promise<{ readonly url: string; readonly tookMs: number }>;
  readonly exited: Promise<Exit>;
  /** Makes `ready` reject with a reason and the output so far. */
  giveUp(reason: string): void;
  /** Output so far. */
  output(): string;
  /** Resolves once the process has ended. */
  kill(signal: NodeJS.Signals): Promise<Exit>;
}

/** Starts services on free ports and one data folder, and stops them. */
export interface Launcher {
  readonly folder: string;
  /** `settings` override those of the launcher. `nodeArgs`: arguments of Node. */
  launch(
    settings?: Readonly<Record<string, string>>,
    args?: readonly string[],
    nodeArgs?: readonly string[],
  ): Launched;
  /** Launches a service and waits until it is ready. */
  start(
    settings?: Readonly<Record<string, string>>,
    nodeArgs?: readonly string[],
  ): Promise<Launched & { readonly url: string }>;
  /** Kills the running services and removes the data folder. */
  close(): Promise<void>;
}

/**
 * Creates a launcher with an empty data folder. The services get nothing of this process's environment, and have no ledger
 * unless the settings turn it on. `main`: the file that starts the service.
 */
export async function launcher(
  settings: Readonly<Record<string, string>> = {},
  main: string = MAIN,
): Promise<Launcher> {
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-faults-'));
  const all: Launched[] = [];
  let closed = false;
  const launch: Launcher['launch'] = (more = {}, args = [], nodeArgs = []) => {
    // A spec past its time limit may still run.
    if (closed) throw new Error('the launcher is closed');
    const launched = run({ DATA_DIR: folder, ...settings, ...more }, [...nodeArgs, main, ...args]);
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
  // A spec that kills the service during its start does not await `ready`.
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
