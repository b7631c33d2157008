import { numberOf, quantity, transactionOf } from './answers.js';
import { blockSource } from './block-source.js';
import type { Wire } from './exchange.js';
import { feesOf } from './fees.js';
import { httpWire } from './http-wire.js';
import { createRpcBatcher, orUnavailable } from './rpc-batcher.js';
import type { RpcCall } from './rpc-batcher.js';
import { ChainMisfit } from './port.js';
import type { Chain, Hex } from './port.js';
import { acceptedOf, sentOf } from './sent.js';
import { socketWire } from './socket-wire.js';
import { blockFollower } from './block-follower.js';

/** Longest time for an answer of the node, ms. */
const TIMEOUT_MS = 5_000;
/** Most calls in a batch: few enough for every node. */
const BATCH_SIZE = 100;
/** Most transactions in a batch: some nodes answer nothing else while they take them. */
const TRANSACTIONS_BATCH_SIZE = 48;
/** Time for which transactions wait behind a batch that is not answered, ms: a gateway that hangs must not hold up others. */
const PATIENCE_MS = 500;
/** Most batches in flight, other than batches of transactions. */
const MAX_IN_FLIGHT = 4;

export interface ChainOptions {
  /** CHAIN_RPC_URL: http, https, ws or wss. */
  readonly url: string;
  /** CHAIN_CONTRACT, in lower case. */
  readonly contract: Hex;
  /** GAS_PRICE_FACTOR. */
  readonly gasPriceFactor: number;
  /** GAS_LIMIT; undefined for an estimate of the node. */
  readonly gasLimit: bigint | undefined;
  /** LEDGER_FINALITY, blocks. */
  readonly finality: number;
  readonly requestTimeoutMs?: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/**
 * Opens the chain behind a node's JSON-RPC address. Throws `ChainUnavailable` if the node does not answer. The contract is
 * not looked up: see `ping`.
 */
export async function openChain(options: ChainOptions): Promise<Chain> {
  const { url, contract, finality, now, requestTimeoutMs: timeoutMs = TIMEOUT_MS } = options;
  let nudge = (): void => undefined;
  let reconnected = (): void => undefined;
  const wire: Wire = /^ws/i.test(url)
    ? socketWire({ url, timeoutMs, onHead: () => nudge(), onReconnect: () => reconnected() })
    : httpWire(url);
  const call = createRpcBatcher(wire, { batchSize: BATCH_SIZE, maxInFlight: MAX_IN_FLIGHT, timeoutMs });
  // In order: nodes keep only a limited number of transactions whose lower nonces are missing.
  const submit = createRpcBatcher(wire, {
    batchSize: TRANSACTIONS_BATCH_SIZE,
    maxInFlight: 1,
    timeoutMs,
    patienceMs: PATIENCE_MS,
  });
  const surely = orUnavailable(call);
  const source = blockSource(call);
  // A source of its own: its prefetched blocks are too old for other callers.
  const blocks = blockFollower({ source: blockSource(call), finality, announces: wire.announces, now });
  const close = async (): Promise<void> => {
    blocks.close();
    wire.close();
  };

  try {
    const id = numberOf(await surely('eth_chainId', []), 'eth_chainId');
    await blocks.start();
    nudge = () => blocks.nudge();
    reconnected = () => blocks.reconnected();
    return {
      id,
      name: String(id),
      contract,
      fees: feesOf({ ...options, call }),
      async nextNonce(account, at) {
        return numberOf(await surely('eth_getTransactionCount', [account, at]), 'eth_getTransactionCount');
      },
      async balance(account) {
        return quantity(await surely('eth_getBalance', [account, 'latest']), 'eth_getBalance');
      },
      async send(raw) {
        const sent = await submit('eth_sendRawTransaction', [raw]).then(acceptedOf, sentOf);
        blocks.nudge();
        return sent;
      },
      receipt: (hash) => source.receipt(hash),
      async transaction(hash) {
        const json = await surely('eth_getTransactionByHash', [hash]);
        return json === null ? undefined : transactionOf(json);
      },
      async block(number) {
        const block = await source.block(number);
        if (block === undefined) return undefined;
        const { transactions: _, ...head } = block;
        return head;
      },
      mined: (hash, confirmations, unsent) => blocks.mined(hash, confirmations, unsent),
      head: () => blocks.head(),
      progress: () => blocks.progress(),
      hashOf: (number) => blocks.hashOf(number),
      onReorganisation: (listener) => blocks.onReorganisation(listener),
      ping: () => ping(surely, contract, id),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ping(call: RpcCall, contract: Hex, expected: number): Promise<void> {
  const [found, code] = await Promise.all([
    call('eth_chainId', []),
    call('eth_getCode', [contract, 'latest']),
  ]);
  const id = numberOf(found, 'eth_chainId');
  if (id !== expected) {
    throw new ChainMisfit(
      `The chain's node is on chain ${id}, and was on ${expected} at the start; check CHAIN_RPC_URL and start again.`,
    );
  }
  if (code === '0x') {
    throw new ChainMisfit(
      `There is no contract at ${contract} on chain ${id}; check CHAIN_CONTRACT and CHAIN_RPC_URL.`,
    );
  }
}
