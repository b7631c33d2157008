import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { callNode } from './rpc.js';

/** Running process of the chain's node. */
export type ChainProcess = Awaited<ReturnType<typeof startChainProcess>>;

/** Time limit of the start, ms. A large state takes seconds. */
const START_MS = 60_000;
/** Interval between two checks of the start, ms. */
const PAUSE_MS = 10;

/** Options of the chain's node. */
export interface ChainProcessOptions {
  readonly binary: string;
  /** Absolute path of an existing folder. */
  readonly folder: string;
  /** Port of the loopback interface. */
  readonly port: number;
}

/**
 * Starts the chain's node, from a state if given, and waits until it answers. The signal kills it. Throws an `Error` with
 * its last output if it ends before.
 */
export async function startChainProcess(
  { binary, folder, port }: ChainProcessOptions,
  state: string | undefined,
  signal: AbortSignal,
) {
  const args = ['--quiet', '--no-cors', '--accounts', '0', '--chain-id', '1337', '--host', '127.0.0.1'];
  args.push('--port', String(port));
  // Accounts need no funds. Berlin has no base fee, which would rise from 0 under load, and the node reports the given
  // gas price.
  args.push('--hardfork', 'berlin', '--gas-price', '0');
  // With several threads anvil sometimes never mines a transaction that arrives while it mines the previous nonce.
  args.push('--threads', '1');
  // Drops the states of old blocks, which anvil would write to the user's home. Keeps blocks and receipts.
  args.push('--prune-history', '--cache-path', folder);
  if (state !== undefined) args.push('--load-state', state);
  const child = spawn(binary, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    signal,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = `${output}${text}`.slice(-500);
  });
  const status = { isRunning: true };
  /** Resolves with the reason of its end. */
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      status.isRunning = false;
      resolve(how);
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(output.trim() || String(signal ?? code)));
  });
  const deadline = performance.now() + START_MS;
  while (status.isRunning && !(await answers(port))) {
    if (performance.now() > deadline) child.kill('SIGKILL');
    await pause(PAUSE_MS);
  }
  if (!status.isRunning) throw new Error(await ended);
  return { pid: child.pid!, isRunning: (): boolean => status.isRunning, ended };
}

async function answers(port: number): Promise<boolean> {
  return callNode(port, 'eth_chainId', [], 1_000).then(
    () => true,
    () => false,
  );
}
