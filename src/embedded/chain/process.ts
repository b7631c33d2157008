import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { askChainNode } from './rpc.js';

/** The chain's node, running. */
export interface ChainProcess {
  readonly pid: number;
  isRunning(): boolean;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
}

/** How long the node may take until it answers, ms: a large state is seconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 10;

/** How the chain's node is started. */
export interface ChainProcessOptions {
  readonly binary: string;
  /** Absolute; it exists. */
  readonly folder: string;
  /** Of the loopback interface. */
  readonly port: number;
}

/**
 * Starts the chain's node, from a state where there is one, and waits until it answers. The signal kills it. Throws an
 * `Error` with its last words where it ends before.
 */
export async function startChainProcess(
  { binary, folder, port }: ChainProcessOptions,
  state: string | undefined,
  signal: AbortSignal,
): Promise<ChainProcess> {
  const args = ['--quiet', '--no-cors', '--accounts', '0', '--chain-id', '1337', '--host', '127.0.0.1'];
  args.push('--port', String(port));
  // Accounts need no funds: before London there is no base fee, which would creep up from 0 under load, and the price
  // that the node names is the one that it is given.
  args.push('--hardfork', 'berlin', '--gas-price', '0');
  // On several threads it now and then lets a transaction wait for ever that comes while a block is made of the one
  // with the nonce before.
  args.push('--threads', '1');
  // States of old blocks are not kept, nor written to the user's home; the blocks and their receipts are.
  args.push('--prune-history', '--cache-path', folder);
  if (state !== undefined) args.push('--load-state', state);
  const child = spawn(binary, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    signal,
    killSignal: 'SIGKILL',
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = `${words}${text}`.slice(-500);
  });
  const running = { is: true };
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      running.is = false;
      resolve(how);
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(words.trim() || String(signal ?? code)));
  });
  const deadline = performance.now() + PATIENCE_MS;
  while (running.is && !(await answers(port))) {
    if (performance.now() > deadline) child.kill('SIGKILL');
    await pause(PAUSE_MS);
  }
  if (!running.is) throw new Error(await ended);
  return { pid: child.pid!, isRunning: () => running.is, ended };
}

async function answers(port: number): Promise<boolean> {
  return askChainNode(port, 'eth_chainId', [], 1_000).then(
    () => true,
    () => false,
  );
}
