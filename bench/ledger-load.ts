import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { deployTimestamper } from '../src/embedded/chain/deploy.js';
import type { Hex } from '../src/chain/port.js';
import { chainBinary } from '../src/embedded/chain/binary.js';
import { startChainProcess } from '../src/embedded/chain/process.js';
import { reservedPort } from '../spec/servers/ports.js';
import type { Operation } from './pair.js';
import { startMirzam, type Target } from './target.js';

/** Entities generated per second of a run: more than it creates, so that each is new. */
const ENTITIES_PER_SECOND = 6_000;

/** Operation L1. */
export const L1: Operation = {
  name: 'L1',
  warmUpS: 10,
  async load({ url }, { connections, seconds }) {
    const { receipts, answers } = await loadLedger(url, connections, seconds);
    return { perS: receipts, answers };
  },
};

/** A service, and the chain on which it records. */
export interface LedgerTarget extends Target {
  readonly chain: { readonly url: string; readonly contract: Hex };
}

/** Starts the service with a wallet and a chain of its own. `script`: its main file. `more`: settings beside those. */
export async function startLedger(
  name: string,
  script?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<LedgerTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-bench-chain-'));
  const chain = await startChain(folder);
  const stopChain = async (): Promise<void> => {
    await chain.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const contract = await deployTimestamper(chain.url);
    const settings = {
      LEDGER: 'on',
      CHAIN_RPC_URL: chain.url,
      CHAIN_CONTRACT: contract,
      DEFAULT_ACCOUNT_KEY: `0x${randomBytes(32).toString('hex')}`,
      ...more,
    };
    const target = await startMirzam(name, settings, script);
    return {
      ...target,
      chain: { url: chain.url, contract },
      async stop() {
        await target.stop();
        await stopChain();
      },
    };
  } catch (error) {
    await stopChain();
    throw error;
  }
}

/** Starts the chain's node without its keeper, which would pause it for saves. */
async function startChain(folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await reservedPort();
  const stopping = new AbortController();
  const node = await startChainProcess({ binary: chainBinary(), folder, port }, undefined, stopping.signal);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      stopping.abort();
      await node.ended;
    },
  };
}

/** Loads a service with new entities. */
export async function loadLedger(
  url: string,
  connections: number,
  seconds: number,
): Promise<{ receipts: number; answers: number; p99: number; failed: number }> {
  // Generated in advance: the service shares the cores with the load.
  const share = Math.ceil((ENTITIES_PER_SECOND * seconds) / connections);
  const requests = creations(share * connections);
  let taken = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: requests.slice(0, 1),
    setupClient: (client) => client.setRequests(requests.slice(taken, (taken += share))),
  });
  const answers = result['2xx'] ?? 0;
  return {
    receipts: answers / result.duration,
    answers,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
  };
}

/** Returns requests that create entities, new in each run. */
function creations(count: number) {
  const run = randomBytes(4).toString('hex');
  return Array.from({ length: count }, (_, n) => ({
    method: 'POST' as const,
    path: '/ngsi-ld/v1/entities/',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: `urn:ngsi-ld:Car:${run}:${n}`,
      type: 'Car',
      speed: { type: 'Property', value: n % 200, observedAt: '2026-01-15T12:00:00Z' },
      driver: { type: 'Relationship', object: `urn:ngsi-ld:Person:${n % 50}` },
    }),
  }));
}
