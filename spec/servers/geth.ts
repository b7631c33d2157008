import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from '../../src/chain/port.js';
import { request } from '../e2e/api-client.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { skipWithout } from './deploy-tools.js';
import { accepts, reservedPort } from './ports.js';
import { endedUnless, endProcess } from './programs.js';

/** A development chain of go-ethereum, with chain id 1337 and the newest rules. */
export interface Geth {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** `ws://127.0.0.1:port` */
  readonly wsUrl: string;
  /** Calls the node. Throws an `Error` with its message if it refuses. */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Gives an account ten ether. Resolves once they are in a block. */
  fund(account: Hex): Promise<void>;
  /** Kills the process. Resolves once it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts the node again after `kill`, on the same port and data, with the same arguments unless others are given. */
  restart(args?: readonly string[]): Promise<void>;
}

interface Started extends Geth {
  /** Kills the process if it runs, and removes its data. */
  stop(): Promise<void>;
}

const BINARY = process.env['GETH'] ?? 'geth';
const INSTALL = 'go install github.com/ethereum/go-ethereum/cmd/geth@v1.17.10';

/** What each node has: the loopback address, no peers, and as little memory as it takes. */
const FIXED = (
  '--dev --http --ws --http.api eth,miner,txpool --authrpc.port 0 --ipcdisable --nodiscover --maxpeers 0 ' +
  '--cache 64 --verbosity 1'
).split(' ');

/**
 * Adds hooks to a `describe`: its specs are skipped, visibly, without go-ethereum; with CI=true they fail. Returns the function
 * that starts a node with more arguments. What it starts ends with the `describe`.
 */
export function specGeth(): (args?: readonly string[]) => Promise<Geth> {
  const started: Started[] = [];
  before(function () {
    if (spawnSync(BINARY, ['version']).status === 0) return;
    skipWithout(this, `${BINARY} is not there; ${INSTALL}, and name it in GETH`);
  });
  after(async () => {
    for (const one of started.splice(0)) await one.stop();
  });
  return async (args = []) => {
    const geth = await startGeth(args);
    started.push(geth);
    return geth;
  };
}

async function startGeth(args: readonly string[]): Promise<Started> {
  const data = await mkdtemp(join(tmpdir(), 'geth-'));
  const port = await reservedPort();
  const url = `http://127.0.0.1:${port}`;
  let running = await launch(port, data, args);
  const rpc: Geth['rpc'] = async (method, params = []) => {
    const { body, text } = await request(url, 'POST', { jsonrpc: '2.0', id: 1, method, params });
    if (!('result' in body)) throw new Error(`${method}: ${body.error?.message ?? text}`);
    return body['result'];
  };

  return {
    url,
    wsUrl: `ws://127.0.0.1:${port}`,
    rpc,
    async fund(to) {
      const [from] = (await rpc('eth_accounts')) as readonly Hex[];
      await rpc('eth_sendTransaction', [{ from, to, value: '0x8ac7230489e80000' }]);
      // Not its receipt: a node that has just started refuses those while it indexes.
      const isFunded = async () =>
        BigInt((await rpc('eth_getBalance', [to, 'latest'])) as Hex) > 0n || undefined;
      await eventually(isFunded, SOON_MS, () => 'no block has the transaction');
    },
    kill: (signal) => endProcess(running, signal),
    async restart(other = args) {
      running = await launch(port, data, other);
    },
    async stop() {
      await endProcess(running, 'SIGKILL');
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function launch(port: number, data: string, args: readonly string[]) {
  const ports = ['--http.port', String(port), '--ws.port', String(port), '--datadir', data];
  const child = spawn(BINARY, [...FIXED, ...ports, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const isUp = async (): Promise<true | undefined> => {
    if (ended()) throw new Error(`geth ended before it listened: ${args.join(' ')}`);
    return (await accepts(port)) || undefined;
  };
  return endedUnless(
    child,
    eventually(isUp, SOON_MS, () => 'geth does not listen'),
  );
}
