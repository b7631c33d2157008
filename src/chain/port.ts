import { RetryableError, TerminalError } from '../errors.js';
import type { Hex } from '../system/chain-bytes.js';

export type { Hex };

/**
 * A chain as the ledger uses it: one contract of one chain, at the JSON-RPC address of a node. Calls are sent in
 * batches. Every method throws `ChainUnavailable` if the node does not answer in time.
 */
export interface Chain {
  /** The result of `eth_chainId`. */
  readonly id: number;
  /**
   * The id as a text. The hash of the first block is not suitable: a development node makes a new one at each start.
   */
  readonly name: string;
  /** The contract, an address in lower case. */
  readonly contract: Hex;

  /** The price and the gas of a transaction of the contract. Cached for 1 s. */
  fees(): Promise<Fees>;

  /**
   * The account's next nonce: above those of its transactions in blocks (`latest`), or above those in the pool as well
   * (`pending`).
   */
  nextNonce(account: Hex, at: 'latest' | 'pending'): Promise<number>;

  /** The account's funds, wei. */
  balance(account: Hex): Promise<bigint>;

  /**
   * Sends a signed transaction to the node. After every answer but a known refusal, the node may have it. While the
   * contract is known to be missing, the transaction is not sent: a call of an address without code succeeds, but does
   * not record anything.
   */
  send(raw: Hex): Promise<Sent>;

  /**
   * Checks at the node whether the contract exists, before transactions are sent again. Transactions sent meanwhile
   * wait. Never throws.
   */
  checkContract(): Promise<void>;

  /** Why no transaction is sent: the contract is known to be missing. undefined if it exists, or if that is unknown. */
  contractMissing(): ChainMisfit | undefined;

  /** The fault of an existing contract: its code cannot emit the event. */
  contractWarning(): string | undefined;

  /** Calls the listener when the contract disappears, and when it is back. */
  onContract(listener: () => void): void;

  /** The receipt of a transaction; undefined if the transaction is not in a block. */
  receipt(transactionHash: Hex): Promise<ChainReceipt | undefined>;

  /** A transaction in a block or in the node's pool; undefined if it is in neither. */
  transaction(transactionHash: Hex): Promise<ChainTransaction | undefined>;

  /** The block with this number; undefined if the chain is shorter. */
  block(number: number): Promise<ChainBlock | undefined>;

  /**
   * All that the node says of the block with this hash, for proofs; undefined if the node does not have it. A block that has
   * left the chain may be there still. The node is not asked for what is `known` of all transactions of the block.
   */
  evidence(blockHash: Hex, known?: KnownTransactions): Promise<BlockEvidence | undefined>;

  /**
   * Waits until the transaction has `confirmations` blocks, its own included. The wait continues while the node is
   * down. With `unsent`, the transaction is not sent yet. It is found in its block, without a request for its receipt.
   */
  mined(transactionHash: Hex, confirmations: number, unsent?: 'unsent'): Mined;

  /** Number of the newest block that this process has seen; undefined before the first. */
  head(): number | undefined;

  /** What this process knows of the chain's newest blocks; undefined before the first. */
  progress(): ChainProgress | undefined;

  /** Hash of the block with this number that this process saw last; undefined if it saw none. */
  hashOf(number: number): Hex | undefined;

  /**
   * Calls the listener when blocks have left the chain: receipts in block `from` and above may have changed. The
   * listener is also called when a lost node or a missing contract is back. `from` is then the lowest block that may
   * have changed. Returns a function that removes the listener.
   */
  onReorganisation(listener: (from: number) => void): () => void;

  /**
   * Throws `ChainUnavailable` if the node does not answer, and `ChainMisfit` if it is on another chain or has no code
   * at `contract`. If the node does not answer whether it has code there, the contract counts as present.
   */
  ping(): Promise<void>;

  close(): Promise<void>;
}

/** How far this process has followed the chain. Times are ms since the epoch, by the clock of the service. */
export interface ChainProgress {
  /** Number of the newest block that was read. */
  readonly head: number;
  /** When this process read it first. */
  readonly headAt: number;
  /** Blocks above it that the node has, and that are not read yet. */
  readonly behind: number;
  /** When the node answered last about its newest block. */
  readonly answeredAt: number;
  /** How often known blocks left the chain since the start. */
  readonly reorganisations: number;
}

/** A wait until a transaction is in a block. It has `stop`, because an abort signal costs more than the wait. */
export interface Mined {
  /** The receipt of the block that the transaction is in. Rejects with the reason of `stop`. */
  readonly receipt: Promise<ChainReceipt>;
  /** Ends the wait. Does nothing after its end. */
  stop(reason: Error): void;
}

/** The price and the gas of a transaction. */
export interface Fees {
  /** Of a legacy transaction, wei; 0n on a chain without a price. */
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
  /** Of a transaction of EIP-1559; absent if the chain has no base fee, or one of 0. */
  readonly dynamic?: DynamicFees;
}

/** The fees of a transaction of EIP-1559, wei for each gas. */
export interface DynamicFees {
  /** The most that it pays, base fee included. */
  readonly maxFeePerGas: bigint;
  /** The most that it pays above the base fee; not above `maxFeePerGas`. */
  readonly maxPriorityFeePerGas: bigint;
}

/** A node's answer to `eth_sendRawTransaction`. */
export type Sent =
  /** The node has it. `known`: it had it already. */
  | { readonly is: 'sent'; readonly known: boolean }
  /** A transaction in a block has its nonce: perhaps itself. */
  | { readonly is: 'nonce-used'; readonly detail: string }
  /** The node refuses it for a reason that holds at every node. */
  | { readonly is: 'refused'; readonly reason: NodeRefusal; readonly detail: string }
  /** It was not sent: the contract is missing. */
  | { readonly is: 'unsent'; readonly detail: string }
  /** The node may have it or not. */
  | { readonly is: 'unknown'; readonly why: UnknownCause; readonly detail: string };

/**
 * Why a node refuses a transaction: `funds`: its account cannot pay; `gas`: its gas is less than the call needs at least;
 * `gas-limit`: its gas is over the limit of a block; `chain-id`: it is signed for another chain; `signature`: no account
 * has signed it.
 */
export type NodeRefusal = 'funds' | 'gas' | 'gas-limit' | 'chain-id' | 'signature';

/**
 * The cause in an answer that is not a known refusal. `price`: the price of the transaction is too low now; `busy`:
 * the node accepts no more transactions now; `gap`: the node lacks transactions of the account with lower nonces;
 * `replaced`: another transaction with its nonce waits in the pool; `error`: anything else.
 */
export type UnknownCause = 'price' | 'busy' | 'gap' | 'replaced' | 'error';

/** A receipt of `eth_getTransactionReceipt`. Quantities are hex texts without leading zeros. */
export interface ChainReceipt {
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly cumulativeGasUsed: Hex;
  readonly gasUsed: Hex;
  readonly status: Hex;
  readonly logs: readonly ChainLog[];
  readonly logsBloom: Hex;
}

export interface ChainLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly logIndex: Hex;
  readonly removed: boolean;
}

/** The part of a transaction that a proof needs. */
export interface ChainTransaction {
  readonly hash: Hex;
  readonly from: Hex;
  readonly to: Hex | null;
  readonly input: Hex;
  readonly nonce: number;
  /** undefined while the transaction is not in a block. */
  readonly blockNumber: number | undefined;
  readonly blockHash: Hex | undefined;
}

/** The part of a block that the ledger needs. */
export interface ChainBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** s since the epoch. */
  readonly timestamp: number;
}

/** Transactions that are known, so that the node need not give them. */
export interface KnownTransactions {
  /** Their bytes by their hashes. */
  readonly raw: ReadonlyMap<Hex, Hex>;
  /** True if their receipts are known too. */
  readonly receipts: boolean;
}

/** What a node says of a block and of all that is in it, unread. */
export interface BlockEvidence {
  /** The result of `eth_getBlockByHash`, with its transactions. */
  readonly block: EvidentBlock;
  /** The receipts of all transactions as JSON objects, in no order; undefined if they were known. */
  readonly receipts: readonly unknown[] | undefined;
  /** The results of `debug_getRaw…`, as far as the node has these methods. */
  readonly raw: {
    readonly block?: unknown;
    readonly header?: unknown;
    readonly receipts?: unknown;
    /** By the hash of the transaction: those of a type whose JSON cannot be read, and those that were known. */
    readonly transactions?: Readonly<Record<Hex, unknown>>;
  };
}

/** A block in JSON, with its transactions in order. */
export interface EvidentBlock {
  readonly transactions: readonly Readonly<Record<string, unknown>>[];
  readonly [member: string]: unknown;
}

/** The chain's node did not answer, or not in time. The call may have taken effect. */
export class ChainUnavailable extends RetryableError {
  override readonly name = 'ChainUnavailable';
  readonly code = 'chain-unavailable';
}

/** The chain's node answers, but does not fit the settings: it has another chain, or no contract. */
export class ChainMisfit extends TerminalError {
  override readonly name = 'ChainMisfit';
  readonly code = 'chain-misfit';
}
