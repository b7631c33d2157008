import { RetryableError, TerminalError } from '../errors.js';
import type { Hex } from '../untrusted/hex.js';

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

  /** Hands a signed transaction to the node. Sending what the node has already is `sent` as well. */
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

/** What a node made of a transaction. */
export type Sent =
  | { readonly is: 'sent' }
  /** Its nonce has been used by a transaction in a block: perhaps itself, perhaps another. */
  | { readonly is: 'nonce-used'; readonly detail: string }
  /** The account cannot pay. */
  | { readonly is: 'funds'; readonly detail: string }
  /** The node takes nothing more now; later it may. */
  | { readonly is: 'busy'; readonly detail: string }
  /** Any other no: sending it again will not help. */
  | { readonly is: 'refused'; readonly detail: string };

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
