import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from '../e2e/api-client.js';
import { reservedPort } from './ports.js';

/** A node of a chain for one spec. */
export interface Anvil {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** `ws://127.0.0.1:port` */
  readonly wsUrl: string;
  readonly port: number;
  /** Id of the running process. */
  pid(): number;
  /** Calls the node. Throws an `Error` with its message if it refuses. */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Kills the process. Resolves once it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts the node again after `kill`, on the same port, with the same arguments unless others are given. */
  restart(args?: readonly string[]): Promise<void>;
  /** Stops the node if it runs. */
  stop(): Promise<void>;
}

/** Arguments for a chain with free transactions, as in permissioned networks. */
export const FREE_CHAIN = ['--hardfork', 'berlin', '--gas-price', '0'];

/** Anvil's first account, with funds: its address and its public private key. */
export const FUNDED = {
  address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  key: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
} as const;

/** Starts anvil on a free port, with chain id 1337 and `args`. It stores nothing unless they say so. */
export async function startAnvil(args: readonly string[] = FREE_CHAIN): Promise<Anvil> {
  // Anvil writes states of old blocks, by default to the user's home, and leaves them there.
  const cache = await mkdtemp(join(tmpdir(), 'anvil-'));
  const withCache = (given: readonly string[]) => ['--cache-path', cache, ...given];
  const port = await reservedPort();
  const url = `http://127.0.0.1:${port}`;
  let child = await launch(port, withCache(args));

  async function kill(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  return {
    url,
    wsUrl: `ws://127.0.0.1:${port}`,
    port,
    pid: () => child.pid!,
    rpc: (method, params = []) => ask(url, method, params),
    kill,
    async restart(other = args) {
      child = await launch(port, withCache(other));
    },
    async stop() {
      await kill('SIGKILL');
      await rm(cache, { recursive: true, force: true });
    },
  };
}

async function launch(port: number, args: readonly string[]) {
  // With several threads anvil sometimes never mines a transaction that arrives while it mines another. It derives the key of
  // each account from its words: with the two that specs use, and not ten, a start takes half the processor time.
  const fixed = ['--threads', '1', '--accounts', '2', '--chain-id', '1337', '--port', String(port)];
  const child = spawn(anvilBinary(), [...fixed, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let listens = false;
  for await (const line of createInterface(child.stdout)) {
    listens = line.startsWith('Listening on ');
    if (listens) break;
  }
  if (!listens) throw new Error(`anvil ended before it listened: ${args.join(' ')}`);
  // A full pipe would stop the node.
  child.stdout.resume();
  return child;
}

/** The program itself: the package's wrapper is one more process, which does not forward every signal. */
function anvilBinary(): string {
  const { platform, arch } = process;
  const name = `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`;
  const fromAnvil = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  return fromAnvil.resolve(`${name}/bin/anvil`);
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const { body, text } = await request(url, 'POST', { jsonrpc: '2.0', id: 1, method, params });
  if (!('result' in body)) throw new Error(`${method}: ${body.error?.message ?? text}`);
  return body['result'];
}
