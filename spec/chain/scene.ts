import { randomBytes } from 'node:crypto';
import { deployTimestamper } from '../../src/embedded/chain/deploy.js';
import { type ChainOptions, openChain } from '../../src/chain/open.js';
import type { Chain, ChainReceipt, ChainTransaction, Hex } from '../../src/chain/port.js';
import { timestampCall } from '../../src/chain/timestamp-call.js';
import { addressOf, signTransaction } from '../../src/wallets/transaction-bytes.js';
import type { SigningResult, UnsignedTransaction } from '../../src/wallets/port.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { type Anvil, startAnvil } from '../servers/chain.js';

/** A chain with the contract, and an account without funds that nobody else uses. */
export interface Scene {
  readonly node: Anvil;
  readonly contract: Hex;
  readonly account: Hex;
  readonly chain: Chain;
  /** The account's next transaction, unless its nonce is said: a call of the contract with this number, or other data. */
  signed(transaction: Partial<UnsignedTransaction> & { readonly number?: number }): SigningResult;
  /** Sends the account's next transaction, and waits for its receipt. */
  record(number: number): Promise<ChainReceipt>;
  /** Makes blocks, where the node does not by itself. */
  mine(blocks?: number): Promise<void>;
  /** Opens the chain once more. */
  open(options?: Partial<ChainOptions>): Promise<Chain>;
  close(): Promise<void>;
}

export interface SceneOptions {
  /** A node that others use as well, which outlives the scene; else one is started. */
  readonly on?: Anvil | undefined;
  /** Arguments of a node that is started; those of a free chain unless said. */
  readonly args?: readonly string[];
  /** The address at which the chain is opened; the node's for HTTP unless said. */
  readonly urlOf?: (node: Anvil) => string;
  readonly options?: Partial<ChainOptions>;
}

/** Starts a node unless there is one, deploys the contract unless it is there, opens the chain. */
export async function openScene({ on, args, urlOf, options }: SceneOptions = {}): Promise<Scene> {
  const node = on ?? (await startAnvil(args));
  const contract = await deployTimestamper(node.url);
  const key = randomBytes(32);
  const account = addressOf(key);
  const opened: Chain[] = [];
  let nonce = 0;

  const open = async (more: Partial<ChainOptions> = {}): Promise<Chain> => {
    const url = (urlOf ?? (({ url }) => url))(node);
    const chain = await openChain({ ...optionsFor(url, contract), ...options, ...more });
    opened.push(chain);
    return chain;
  };
  const chain = await open();

  const signed: Scene['signed'] = ({ number = 1, ...given }) => {
    const data = timestampCall(wordOf(number), wordOf(number));
    const fields = {
      from: account,
      to: contract,
      data,
      nonce,
      gasPrice: 0n,
      gasLimit: 50_000n,
      chainId: 1337,
    };
    const transaction = { ...fields, ...given };
    nonce = transaction.nonce + 1;
    return signTransaction(transaction, key);
  };

  return {
    node,
    contract,
    account,
    chain,
    signed,
    async record(number) {
      const { raw, hash } = signed({ number });
      const sent = await chain.send(raw);
      if (sent.is !== 'sent') throw new Error(`not sent: ${sent.detail}`);
      return minedIn(chain, hash, 1);
    },
    async mine(blocks = 1) {
      for (let i = 0; i < blocks; i += 1) await node.rpc('evm_mine');
    },
    open,
    async close() {
      await Promise.all(opened.map((it) => it.close()));
      if (on === undefined) await node.stop();
    },
  };
}

/** The default options of a chain; a slow machine does not exceed its time limit. */
export function optionsFor(url: string, contract: Hex): ChainOptions {
  return {
    url,
    contract,
    gasPriceFactor: 1.2,
    gasLimit: undefined,
    finality: 12,
    requestTimeoutMs: SOON_MS,
    now: Date.now,
  };
}

/** A number as 32 bytes. */
export function wordOf(number: number | bigint): Hex {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

/** The receipt of a transaction once it lies under so many blocks. */
export function minedIn(
  chain: Pick<Chain, 'mined'>,
  hash: Hex,
  confirmations: number,
  { signal = soon(), unsent }: { readonly signal?: AbortSignal; readonly unsent?: 'unsent' | undefined } = {},
): Promise<ChainReceipt> {
  const mined = chain.mined(hash, confirmations, unsent);
  const stopped = (): void => mined.stop(signal.reason as Error);
  if (signal.aborted) stopped();
  signal.addEventListener('abort', stopped, { once: true });
  return mined.receipt;
}

/** The transaction once it is in a block: a node may give its receipt while it still has it in its pool. */
export function transactionInBlock(chain: Pick<Chain, 'transaction'>, hash: Hex): Promise<ChainTransaction> {
  return eventually(
    async () => {
      const found = await chain.transaction(hash);
      return found?.blockNumber === undefined ? undefined : found;
    },
    SOON_MS,
    () => `${hash} is in no block`,
  );
}

/** Ends the waiting of a spec that would fail anyway. */
function soon(): AbortSignal {
  return AbortSignal.timeout(SOON_MS);
}
