import { numberOf, quantity, transactionOf } from './answers.js';
import { blockSource } from './block-source.js';
import type { Wire } from './exchange.js';
import { feesOf } from './fees.js';
import { httpWire } from './http-wire.js';
import { firmly, lane } from './rpc-batcher.js';
import type { Ask } from './rpc-batcher.js';
import { ChainMisfit } from './port.js';
import type { Chain, Hex } from './port.js';
import { acceptedOf, sentOf } from './sent.js';
import { socketWire } from './socket-wire.js';
import { watcher } from './watcher.js';

/** How long the node may take for an answer, ms, unless it is said. */
const TIMEOUT_MS = 5_000;
/** Calls in one batch: few enough for every node. */
const TOGETHER = 100;
/** Transactions in one batch: some nodes answer nothing else while they take them, not even what has been mined. */
const HANDED_TOGETHER = 48;
/** Batches of questions under way at once. */
const AT_ONCE = 4;

export interface ChainOptions {
  /** CHAIN_RPC_URL: http, https, ws or wss. */
  readonly url: string;
  /** CHAIN_CONTRACT, in lower case. */
  readonly contract: Hex;
  /** GAS_PRICE_FACTOR. */
  readonly gasPriceFactor: number;
  /** GAS_LIMIT; undefined to have it estimated. */
  readonly gasLimit: bigint | undefined;
  /** LEDGER_FINALITY, blocks. */
  readonly finality: number;
  readonly requestTimeoutMs?: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/**
 * Opens the chain behind a node's JSON-RPC address. Throws `ChainUnavailable` where the node does not answer; whether
 * the contract is there, `ping` says.
 */
export async function openChain(options: ChainOptions): Promise<Chain> {
  const { url, contract, finality, now, requestTimeoutMs: timeoutMs = TIMEOUT_MS } = options;
  let nudge = (): void => undefined;
  let returned = (): void => undefined;
  const wire: Wire = /^ws/i.test(url)
    ? socketWire({ url, timeoutMs, onHead: () => nudge(), onReturn: () => returned() })
    : httpWire(url);
  const ask = lane(wire, { together: TOGETHER, atOnce: AT_ONCE, timeoutMs });
  // One batch after the other: nodes keep only so many transactions whose lower nonces have not come yet.
  const hand = lane(wire, { together: HANDED_TOGETHER, atOnce: 1, timeoutMs });
  const askFirmly = firmly(ask);
  const source = blockSource(ask);
  // Of its own: what it has asked for ahead may be old to others.
  const blocks = watcher({ source: blockSource(ask), finality, announces: wire.announces, now });
  const close = async (): Promise<void> => {
    blocks.close();
    wire.close();
  };

  try {
    const id = numberOf(await askFirmly('eth_chainId', []), 'eth_chainId');
    await blocks.start();
    nudge = () => blocks.nudge();
    returned = () => blocks.returned();
    return {
      id,
      name: String(id),
      contract,
      fees: feesOf({ ...options, ask }),
      async nextNonce(account, at) {
        return numberOf(await askFirmly('eth_getTransactionCount', [account, at]), 'eth_getTransactionCount');
      },
      async balance(account) {
        return quantity(await askFirmly('eth_getBalance', [account, 'latest']), 'eth_getBalance');
      },
      async send(raw) {
        const sent = await hand('eth_sendRawTransaction', [raw]).then(acceptedOf, sentOf);
        blocks.nudge();
        return sent;
      },
      receipt: (hash) => source.receipt(hash),
      async transaction(hash) {
        const json = await askFirmly('eth_getTransactionByHash', [hash]);
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
      hashOf: (number) => blocks.hashOf(number),
      onReorganisation: (listener) => blocks.onReorganisation(listener),
      ping: () => ping(askFirmly, contract, id),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function ping(ask: Ask, contract: Hex, expected: number): Promise<void> {
  const [found, code] = await Promise.all([ask('eth_chainId', []), ask('eth_getCode', [contract, 'latest'])]);
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
