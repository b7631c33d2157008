import { randomBytes } from 'node:crypto';
import type { Hex } from '../src/chain/port.js';
import { timestampCall } from '../src/chain/timestamp-call.js';
import { keyWallet } from '../src/wallets/key-wallet.js';
import { loadLedger, startLedger } from './ledger-load.js';
import { median, ratio } from './ratios.js';

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
  const mirzam = await startLedger('mirzam');
  const sender = await bareSender(mirzam.chain.url, mirzam.chain.contract);
  const found: Round[] = [];
  let failed = 0;
  try {
    // Lets V8 optimize the service, which normally runs longer than a bench.
    for (let warm = 0; warm < WARM_UP_S; warm += seconds) await loadLedger(mirzam.url, 256, seconds);
    await sender(1);
    for (let round = 0; round < rounds; round += 1) {
      const rate = await sender(seconds);
      const callers: Record<number, { receipts: number; p99: number }> = {};
      for (const connections of CALLERS) {
        const run = await loadLedger(mirzam.url, connections, seconds);
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

/**
 * Creates the bare sender. It sends signed transactions for a number of seconds and returns those in blocks per second,
 * without the time to sign.
 */
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
