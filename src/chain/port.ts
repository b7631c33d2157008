import { RetryableError, TerminalError } from '../errors.js';
import type { Hex } from '../system/chain-bytes.js';

export type { Hex };

/**
 * A chain as the ledger uses it: one contract of one chain, asked over JSON-RPC. Calls that come together travel
 * together. Every method throws `ChainUnavailable` where the node does not answer, or not in time.
 */
export interface Chain {
  /** As `eth_chainId` gives it. */
  readonly id: number;
  /** Tells chains apart: the id as a text. Not the first block, which a development node makes anew at each start. */
  readonly name: string;
  /** The contract, an address in lower case. */
  readonly contract: Hex;

  /** What a transaction of the contract costs now. Kept for a moment. */
  fees(): Promise<Fees>;

  /**
   * The account's next nonce: behind everything that is in a block (`latest`), or also behind what waits to be
   * (`pending`).
   */
  nextNonce(account: Hex, at: 'latest' | 'pending'): Promise<number>;

  /** The account's funds, wei. */
  balance(account: Hex): Promise<bigint>;

  /** Sends a signed transaction to the node. Every answer other than a known refusal leaves open whether the node has it. */
  send(raw: Hex): Promise<Sent>;

  /** What the chain holds of a transaction now, or undefined where it is in no block. */
  receipt(transactionHash: Hex): Promise<ChainReceipt | undefined>;

  /** A transaction that is in a block or waits to be, or undefined. */
  transaction(transactionHash: Hex): Promise<ChainTransaction | undefined>;

  /** The block with this number as the chain has it now, or undefined. */
  block(number: number): Promise<ChainBlock | undefined>;

  /**
   * Waits until the transaction lies under `confirmations` blocks, its own counted, also while the node is away. One that
   * is about to be sent for the first time is `unsent`: it is found in its block without a question of its own.
   */
  mined(transactionHash: Hex, confirmations: number, unsent?: 'unsent'): Mined;

  /** Number of the newest block that this node of the service has seen; undefined before the first. */
  head(): number | undefined;

  /** Hash of the block with this number, as this node of the service has seen the chain last; undefined where it has not. */
  hashOf(number: number): Hex | undefined;

  /**
   * Tells that blocks which were the chain's are not any more: every receipt from block `from` on may have moved.
   * Also told after the node was lost and found, with the lowest block that can be meant. Gives the way to stop.
   */
  onReorganisation(listener: (from: number) => void): () => void;

  /** Rejects where the node does not answer, is on another chain, or has no code at `contract`. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

/** A wait for a transaction to be mined: not a promise with a signal, since there is one for every transaction. */
export interface Mined {
  /** The receipt as of the block that it has then; rejects with the reason of `stop`. */
  readonly receipt: Promise<ChainReceipt>;
  /** Ends the wait; says nothing to one that has ended. */
  stop(reason: Error): void;
}

/** What a transaction of the contract offers to pay. */
export interface Fees {
  /** wei; 0n where the chain has no price. */
  readonly gasPrice: bigint;
  readonly gasLimit: bigint;
}

/** A node's answer to `eth_sendRawTransaction`. */
export type Sent =
  /** The node has it. `known`: it had it already. */
  | { readonly is: 'sent'; readonly known: boolean }
  /** A transaction in a block has its nonce: perhaps itself. */
  | { readonly is: 'nonce-used'; readonly detail: string }
  /** The node refuses it, for a reason that is known to keep it out of every node's pool. */
  | { readonly is: 'refused'; readonly reason: NodeRefusal; readonly detail: string }
  /** The node may have it or not. */
  | { readonly is: 'unknown'; readonly why: UnknownCause; readonly detail: string };

/**
 * Why a node refuses a transaction: `funds`: its account cannot pay; `gas`: its gas is less than the call needs at least;
 * `gas-limit`: its gas is over the limit of a block; `chain-id`: it is signed for another chain; `signature`: no account
 * has signed it.
 */
export type NodeRefusal = 'funds' | 'gas' | 'gas-limit' | 'chain-id' | 'signature';

/**
 * What an answer that is no known refusal is about: `price`: its price is too low now; `busy`: the node takes no more now;
 * `gap`: the node lacks transactions of the account with lower nonces; `replaced`: another transaction with its nonce waits
 * in the pool; `error`: anything else.
 */
export type UnknownCause = 'price' | 'busy' | 'gap' | 'replaced' | 'error';

/** A receipt as `eth_getTransactionReceipt` gives it: quantities as hex texts without leading zeros. */
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
  /** undefined while it waits. */
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

/** The chain's node did not answer, or not in time. What was asked of it may or may not have happened. */
export class ChainUnavailable extends RetryableError {
  override readonly name = 'ChainUnavailable';
  readonly code = 'chain-unavailable';
}

/** The chain's node answers, but is not what the settings say: another chain, or no contract there. */
export class ChainMisfit extends TerminalError {
  override readonly name = 'ChainMisfit';
  readonly code = 'chain-misfit';
}
