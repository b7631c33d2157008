import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../errors.js';
import { freePort } from '../../system/free-port.js';
import { makePrivateFile, makePrivateFolder, folderReason } from '../../system/private-files.js';
import { chainBinary } from './binary.js';
import type { KeeperOptions } from './keeper.js';

export interface ChainNodeOptions {
  /** Folder of the chain's state. Created if missing. */
  readonly folder: string;
  /** Called with a line for the operator. */
  readonly log: (line: string) => void;
  /** Called when the node answers again after it died: its newest blocks may be lost. */
  readonly onRestart?: () => void;
}

/** Development chain in a child process, which mines each transaction at once. */
export type ChainNode = Awaited<ReturnType<typeof startChainNode>>;

const KEEPER = fileURLToPath(new URL('keeper.js', import.meta.url));
/** Time that the keeper has to exit before it is killed, ms. */
const END_MS = 10_000;
/** Pause before a dead keeper is replaced, ms. */
const RETRY_MS = 200;

/**
 * Starts the chain of a folder, or a new one with chain id 1337. It ends with this process in any case, and is restarted
 * if it dies. Throws a `StartError` if it cannot be started.
 */
export async function startChainNode({ folder, log, onRestart }: ChainNodeOptions) {
  const options: KeeperOptions = {
    binary: chainBinary(),
    folder: resolve(folder),
    port: await freePort(),
  };
  await makeFolder(options.folder);
  let closed = false;
  let keeper: ChildProcess;
  let pid = 0;

  /** Resolves once the node answers. Rejects if the keeper ends before. */
  async function startKeeper(): Promise<void> {
    // Detached: a Ctrl-C in the terminal reaches the service only, which then stops the keeper.
    const child = spawn(process.execPath, [KEEPER, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    keeper = child;
    // Writing to a dead keeper fails. Its 'close' event reports the death.
    child.stdin.on('error', () => undefined);
    await new Promise<void>((done, fail) => {
      let reason = 'its keeper ended';
      createInterface(child.stdout).on('line', (line) => {
        const [, word, text = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
        if (word === 'ready') {
          if (pid !== 0) onRestart?.();
          pid = Number(text);
          done();
        } else if (word === 'failed') reason = text;
        else log(text);
      });
      child.once('error', fail);
      child.once('close', () => {
        fail(new StartError(`The chain in ${options.folder} could not be started: ${reason}`));
        if (pid !== 0 && !closed) void replaceKeeper();
      });
    });
  }

  /** Starts another keeper after the death of the first. */
  async function replaceKeeper(): Promise<void> {
    log("the keeper of the chain's node ended and is replaced");
    await pause(RETRY_MS);
    if (!closed) await startKeeper().catch((error: unknown) => log((error as Error).message));
  }

  await startKeeper();
  return {
    /** `http://127.0.0.1:port`, constant during this process. Also accepts `ws:`. */
    url: `http://127.0.0.1:${options.port}`,
    /** Process id of the running node. */
    pid: () => pid,
    /** Saves the state and stops the node. */
    async close(): Promise<void> {
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

/** Creates the chain's folder, and closes it and its files to other users. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await makePrivateFolder(folder, () => true);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isFile()) await makePrivateFile(join(folder, entry.name));
    }
  } catch (cause) {
    throw new StartError(
      `The chain's folder ${folder} ${folderReason(cause)}; or choose another with DATA_DIR`,
      { cause },
    );
  }
}
