import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../errors.js';
import { freePort } from '../../system/free-port.js';
import { makePrivateFile, makePrivateFolder, NotPrivate } from '../../system/private-files.js';
import { chainBinary } from './binary.js';
import type { KeeperOrders } from './keeper.js';

export interface ChainNodeOptions {
  /** Where the chain's state is kept; made where it is missing. */
  readonly folder: string;
  /** Told what an operator may want to know, a line each. */
  readonly log: (line: string) => void;
}

/** A chain of our own: a child process with a block for every few transactions, at once. */
export interface ChainNode {
  /** `http://127.0.0.1:port`, the same as long as this process lives; `ws:` leads there as well. */
  readonly url: string;
  /** Of the node as it runs now. */
  pid(): number;
  /** Ends it, its state saved. */
  close(): Promise<void>;
}

const KEEPER = fileURLToPath(new URL('keeper.js', import.meta.url));
/** How long the keeper may take to end, ms, before it is killed. */
const END_MS = 10_000;
/** Before a keeper that was killed is replaced, ms. */
const AGAIN_MS = 200;

/**
 * Starts the chain that a folder holds, or a new one with chain id 1337. It ends with this process, however that ends,
 * and is started again when it dies itself. Throws a `StartError` where it cannot be started.
 */
export async function startChainNode({ folder, log }: ChainNodeOptions): Promise<ChainNode> {
  const orders: KeeperOrders = {
    binary: chainBinary(),
    folder: resolve(folder),
    port: await freePort(),
  };
  await makeFolder(orders.folder);
  let closed = false;
  let keeper: ChildProcess;
  let pid = 0;

  /** Resolves when the node answers; rejects where the keeper ends before. */
  async function keep(): Promise<void> {
    // A session of its own: a Ctrl-C in the terminal is for the service, which ends this in its turn.
    const child = spawn(process.execPath, [KEEPER, JSON.stringify(orders)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    keeper = child;
    // A keeper that is gone cannot be written to; its end is seen by the exit.
    child.stdin.on('error', () => undefined);
    await new Promise<void>((done, fail) => {
      let reason = 'its keeper ended';
      createInterface(child.stdout).on('line', (line) => {
        const [word, text] = split(line);
        if (word === 'ready') {
          pid = Number(text);
          done();
        } else if (word === 'failed') reason = text;
        else log(text);
      });
      child.once('error', fail);
      child.once('close', () => {
        fail(new StartError(`The chain in ${orders.folder} could not be started: ${reason}`));
        if (pid !== 0 && !closed) void replace();
      });
    });
  }

  /** Whoever killed the keeper left the node without one. */
  async function replace(): Promise<void> {
    log("the keeper of the chain's node ended and is replaced");
    await pause(AGAIN_MS);
    if (!closed) await keep().catch((error: unknown) => log((error as Error).message));
  }

  await keep();
  return {
    url: `http://127.0.0.1:${orders.port}`,
    pid: () => pid,
    async close() {
      closed = true;
      if (keeper.exitCode !== null || keeper.signalCode !== null) return;
      const ended = once(keeper, 'close');
      keeper.stdin?.end();
      const timer = setTimeout(() => keeper.kill('SIGKILL'), END_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function split(line: string): readonly [string, string] {
  const space = line.indexOf(' ');
  return [line.slice(0, space), line.slice(space + 1)];
}

/** Makes the chain's folder, and closes it to other users with all files that are in it. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await makePrivateFolder(folder, () => true);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isFile()) await makePrivateFile(join(folder, entry.name));
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = cause instanceof NotPrivate ? message : `cannot be made: ${code ?? message}`;
    throw new StartError(`The chain's folder ${folder} ${why}; or choose another with DATA_DIR`, { cause });
  }
}
