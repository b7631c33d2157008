import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { deployTimestamper } from '../src/chain/deploy.js';
import type { Hex } from '../src/chain/port.js';
import { timestampCall } from '../src/chain/timestamp-call.js';
import { chainBinary } from '../src/embedded/chain/binary.js';
import { startChainProcess } from '../src/embedded/chain/process.js';
import { freePort } from '../src/system/free-port.js';
import { keyWallet } from '../src/wallets/key-wallet.js';
import { median, ratio } from './ratios.js';
import { startMirzam } from './target.js';

/** Results of a round: transactions a second of the bare sender, and receipts a second for each number of callers. */
interface Round {
  readonly sender: number;
  readonly callers: Record<number, { receipts: number; p99: number }>;
}

const CALLERS = [1, 16, 256];
/** Duration of the load before the measurement, s. */
const WARM_UP_S = 15;
/** Transactions per call of the bare sender. */
const BATCH = 100;
const GAS = 60_000n;
/** Entities generated per second of a run: more than it creates, so that each is new. */
const ENTITIES_PER_SECOND = 6_000;

/**
 * Measures the receipts per second of operation L1 with one wallet, as ratios to a bare sender on the same node. The bare
 * sender sends signed transactions in batches and waits until they are in blocks. Both alternate in one run.
 */
export async function measureLedger({
  rounds,
  seconds,
}: {
  readonly rounds: number;
  readonly seconds: number;
}): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-bench-chain-'));
  const chain = await startChain(folder);
  const contract = await deployTimestamper(chain.url);
  const mirzam = await startMirzam('mirzam', {
    LEDGER: 'on',
    CHAIN_RPC_URL: chain.url,
    CHAIN_CONTRACT: contract,
    DEFAULT_ACCOUNT_KEY: `0x${randomBytes(32).toString('hex')}`,
  });
  const sender = await bareSender(chain.url, contract);
  const found: Round[] = [];
  let failed = 0;
  try {
    // Lets V8 optimize the service, which normally runs longer than a bench.
    for (let warm = 0; warm < WARM_UP_S; warm += seconds) await load(mirzam.url, 256, seconds);
    await sender(1);
    for (let round = 0; round < rounds; round += 1) {
      const rate = await sender(seconds);
      const callers: Record<number, { receipts: number; p99: number }> = {};
      for (const connections of CALLERS) {
        const run = await load(mirzam.url, connections, seconds);
        failed += run.failed;
        callers[connections] = { receipts: run.receipts, p99: run.p99 };
        console.log(
          `round ${round + 1}  ${String(connections).padStart(3)} callers  ${run.receipts.toFixed(0).padStart(6)} receipts/s  ` +
            `${(run.receipts / rate).toFixed(3)} of the bare sender's ${rate.toFixed(0)}/s  p99 ${run.p99} ms  failed ${run.failed}`,
        );
      }
      found.push({ sender: rate, callers });
    }
  } finally {
    await mirzam.stop();
    await chain.stop();
    await rm(folder, { recursive: true, force: true });
  }
  const ratios = CALLERS.map((connections): [number, number] => [
    connections,
    median(found.map(({ sender: rate, callers }) => ratio(callers[connections]!.receipts, rate))),
  ]);
  for (const [connections, ofSender] of ratios) {
    console.log(
      `L1, one wallet, ${connections} callers: ${ofSender} of the bare sender (median of ${rounds})`,
    );
  }
  console.log(`failed requests: ${failed}`);
  return { rounds, seconds, ofSender: Object.fromEntries(ratios), failed };
}

/** Starts the chain's node without its keeper, which would pause it for saves. */
async function startChain(folder: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
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

async function load(
  url: string,
  connections: number,
  seconds: number,
): Promise<{ receipts: number; p99: number; failed: number }> {
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
  return {
    receipts: (result['2xx'] ?? 0) / result.duration,
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

/** Creates the bare sender. It sends signed transactions for a number of seconds and returns those in blocks per second, without the time to sign. */
async function bareSender(url: string, contract: Hex): Promise<(seconds: number) => Promise<number>> {
  const wallet = keyWallet(`0x${randomBytes(32).toString('hex')}`);
  const from = await wallet.account();
  const chainId = Number((await rpc(url, [{ method: 'eth_chainId', params: [] }]))[0]);
  let nonce = 0;
  const sign = async (): Promise<Hex> => {
    const data = timestampCall(
      `0x${randomBytes(32).toString('hex')}`,
      `0x${randomBytes(32).toString('hex')}`,
    );
    const transaction = { from, to: contract, data, nonce, gasPrice: 0n, gasLimit: GAS, chainId };
    nonce += 1;
    return (await wallet.sign(transaction)).raw;
  };
  let rate = 1_000;
  return async (seconds) => {
    const batches: Hex[][] = [];
    for (let left = rate * seconds * 2; left > 0; left -= BATCH) {
      const batch: Hex[] = [];
      for (let i = 0; i < BATCH; i += 1) batch.push(await sign());
      batches.push(batch);
    }
    const startedAt = performance.now();
    let sent = 0;
    for (const batch of batches) {
      await rpc(
        url,
        batch.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] })),
      );
      sent += batch.length;
      if (performance.now() - startedAt > seconds * 1000) break;
    }
    nonce -= batches.length * BATCH - sent;
    for (;;) {
      const [mined] = await rpc(url, [{ method: 'eth_getTransactionCount', params: [from, 'latest'] }]);
      if (Number(mined) >= nonce) break;
    }
    rate = (sent * 1000) / (performance.now() - startedAt);
    return rate;
  };
}

async function rpc(url: string, calls: readonly { method: string; params: unknown[] }[]): Promise<unknown[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
  });
  const answers = (await response.json()) as { result?: unknown; error?: { message: string } }[];
  return answers.map(({ result, error }) => {
    if (error) throw new Error(error.message);
    return result;
  });
}
