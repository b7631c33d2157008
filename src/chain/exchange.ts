import { oneLine } from '../untrusted/text.js';
import { ChainUnavailable } from './port.js';

/** A JSON-RPC request to the node. */
export interface RpcRequest {
  /** Unique on its wire. */
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A way to the node. */
export interface Wire {
  /**
   * The answers to these requests, in their order: a result, or the `NodeError` with which the node refused. Throws
   * `ChainUnavailable` where the node gave no answer that can be read.
   */
  exchange(requests: readonly RpcRequest[], signal: AbortSignal): Promise<readonly unknown[]>;
  /** Whether the node tells of new blocks by itself. */
  readonly announces: () => boolean;
  /** Told that an answer did not come in time. */
  late(): void;
  close(): void;
}

/** The error of a JSON-RPC answer. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  /** As JSON-RPC and the kind of node define it. */
  readonly code: number | undefined;
  /**
   * False where the node may have done what was asked nevertheless: the request was sent twice, or a gateway's HTTP status
   * came with the error.
   */
  readonly isCertain: boolean;

  constructor(code: number | undefined, message: string, isCertain = true) {
    super(message);
    this.code = code;
    this.isCertain = isCertain;
  }
}

/** Outcomes of requests that the node may have done, whatever errors are among them. */
export function uncertain(outcomes: readonly unknown[]): readonly unknown[] {
  return outcomes.map((it) => (it instanceof NodeError ? new NodeError(it.code, it.message, false) : it));
}

/** Largest answer that is read, bytes: the receipts of some twenty full blocks. */
export const LARGEST_ANSWER = 128 * 1_048_576;

/** Longest text of a node that gets into a message of ours, in characters. */
const LONGEST = 300;

/** The result in one answer, or the `NodeError` in it; undefined where it is no answer at all. */
export function outcomeOf(answer: unknown): { readonly value: unknown } | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { result, error } = answer as { readonly result?: unknown; readonly error?: unknown };
  if (typeof error === 'object' && error !== null) return { value: nodeErrorOf(error) };
  return result === undefined ? undefined : { value: result };
}

function nodeErrorOf(error: { readonly code?: unknown; readonly message?: unknown }): NodeError {
  const { code, message } = error;
  const text = typeof message === 'string' ? message : 'an error without a message';
  return new NodeError(typeof code === 'number' ? code : undefined, oneLine(text, LONGEST));
}

/** The error for a node that cannot be reached. The cause stays out: its message may hold the node's address and key. */
export function unreachable(): ChainUnavailable {
  return new ChainUnavailable("The chain's node cannot be reached; check CHAIN_RPC_URL.");
}

/** The error for a node that answers with something that JSON-RPC does not have; `what` completes the sentence. */
export function malformed(what: string): ChainUnavailable {
  return new ChainUnavailable(`The chain's node answered with something unexpected: ${what}.`);
}
