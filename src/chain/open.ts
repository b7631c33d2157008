import { numberOf, quantity, transactionOf } from './answers.js';
import { evidenceReader } from './block-evidence.js';
import { blockSource } from './block-source.js';
import { NodeUnreachable, type Wire } from './exchange.js';
import { feesOf, type FeesOptions } from './fees.js';
import { httpWire } from './http-wire.js';
import { createRpcBatcher, orUnavailable } from './rpc-batcher.js';
import { type ContractWatch, contractWatch } from './contract-watch.js';
import { type Chain, ChainMisfit } from './port.js';
import { acceptedOf, sentOf } from './send-answer.js';
import { settledInTime } from '../system/in-time.js';
import { blockFollower } from './block-follower.js';

/** Maximum time for an answer of the node, ms. */
const TIMEOUT_MS = 5_000;
/** Maximum number of calls in a batch: few enough for every node. */
const BATCH_SIZE = 100;
/** Maximum number of transactions in a batch: some nodes answer nothing else while they take them. */
const TRANSACTIONS_BATCH_SIZE = 48;
/** Time for which transactions wait for a batch that is not answered, ms: a gateway that hangs must not hold up others. */
const PATIENCE_MS = 500;
/** Maximum time for which `ping` waits for the code of the contract, ms. */
const CODE_MS = 1_000;
/** Maximum number of batches without an answer, other than batches of transactions. */
const MAX_UNANSWERED = 4;

export interface ChainOptions extends Omit<FeesOptions, 'call' | 'newest'> {
  /** CHAIN_RPC_URL: http, https, ws or wss. */
  readonly url: string;
  /** LEDGER_FINALITY, blocks. */
  readonly finality: number;
  readonly requestTimeoutMs?: number;
}

/**
 * Opens the chain at a node's JSON-RPC address. Throws `ChainUnavailable` if the node does not answer. The contract is
 * not asked up: see `ping`.
 */
export async function openChain(options: ChainOptions): Promise<Chain> {
  const { url, contract, finality, now, requestTimeoutMs: timeoutMs = TIMEOUT_MS } = options;
  let contractWatched: ContractWatch | undefined;
  const onLost = (): void => contractWatched?.doubt();
  // web3 is loaded where it is used: by the wire of WebSockets and by the deployment.
  const wire: Wire = /^ws/i.test(url)
    ? (await import('./socket-wire.js')).socketWire({
        url,
        timeoutMs,
        onHead: () => blocks.nudge(),
        onReconnect: () => blocks.reconnected(),
        onLost,
      })
    : httpWire(url, onLost);
  const call = createRpcBatcher(wire, { batchSize: BATCH_SIZE, maxUnanswered: MAX_UNANSWERED, timeoutMs });
  // In order: nodes keep only a limited number of transactions whose lower nonces are missing.
  const submit = createRpcBatcher(wire, {
    batchSize: TRANSACTIONS_BATCH_SIZE,
    maxUnanswered: 1,
    timeoutMs,
    patienceMs: PATIENCE_MS,
  });
  const surely = orUnavailable(call);
  // On its own, and without a new connection if it is late.
  const callAlone = createRpcBatcher(
    { ...wire, late: () => undefined },
    { batchSize: 1, maxUnanswered: 1, timeoutMs },
  );
  const source = blockSource(call);
  // A source of its own: its prefetched blocks are too old for other callers.
  const blocks = blockFollower({
    source: blockSource(call),
    finality,
    announces: wire.announces,
    onDoubt: onLost,
    now,
  });
  const close = async (): Promise<void> => {
    contractWatched?.close();
    blocks.close();
    wire.close();
  };

  try {
    const id = numberOf(await surely('eth_chainId', []), 'eth_chainId');
    const listeners = new Set<() => void>();
    const watch = contractWatch({
      call: callAlone,
      contract,
      chainId: id,
      onChange(isMissing) {
        if (!isMissing) blocks.resume();
        for (const listener of listeners) listener();
      },
    });
    contractWatched = watch;
    await blocks.start();
    return {
      id,
      name: String(id),
      contract,
      fees: feesOf({ ...options, call, newest: () => blocks.newest() }),
      async nextNonce(account, at) {
        return numberOf(await surely('eth_getTransactionCount', [account, at]), 'eth_getTransactionCount');
      },
      async balance(account) {
        return quantity(await surely('eth_getBalance', [account, 'latest']), 'eth_getBalance');
      },
      async send(raw) {
        const settled = watch.settled();
        if (settled !== undefined) await settled;
        const obstacle = watch.obstacle();
        if (obstacle instanceof NodeUnreachable) throw obstacle;
        if (obstacle !== undefined) return { is: 'unsent', detail: obstacle.message };
        const sent = await submit('eth_sendRawTransaction', [raw]).then(acceptedOf, sentOf);
        blocks.nudge();
        return sent;
      },
      receipt: source.receipt,
      async transaction(hash) {
        const json = await surely('eth_getTransactionByHash', [hash]);
        return json === null ? undefined : transactionOf(json);
      },
      block: (number) => source.block(number),
      evidence: evidenceReader(call),
      mined: (hash, confirmations, unsent) => blocks.mined(hash, confirmations, unsent),
      head: blocks.head,
      progress: () => blocks.progress(),
      hashOf: blocks.hashOf,
      onReorganisation: (listener) => blocks.onReorganisation(listener),
      checkContract() {
        watch.doubt();
        return watch.check();
      },
      contractMissing: watch.missing,
      contractWarning: watch.warning,
      onContract: (listener) => void listeners.add(listener),
      async ping() {
        const asked = watch.check();
        const found = numberOf(await surely('eth_chainId', []), 'eth_chainId');
        if (found !== id) {
          throw new ChainMisfit(
            `The chain's node is on chain ${found}, and was on ${id} at the start; check CHAIN_RPC_URL and start again.`,
          );
        }
        await settledInTime(asked, CODE_MS);
        const missing = watch.missing();
        if (missing !== undefined) throw missing;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
