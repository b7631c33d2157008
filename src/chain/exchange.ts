import { callersReasonOf, reasonOf, secretsIn } from '../untrusted/reason.js';
import { oneLine } from '../untrusted/text.js';
import { ChainUnavailable } from './port.js';

/** A JSON-RPC request to the node. */
export interface RpcRequest {
  /** Unique on its wire. */
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A connection to the node. */
export interface Wire {
  /**
   * Sends requests. Resolves with their outcomes in order: a result, or a `NodeError`. Throws `ChainUnavailable` if no
   * answer comes that can be read.
   */
  exchange(requests: readonly RpcRequest[], signal: AbortSignal): Promise<readonly unknown[]>;
  /** True while the node announces new blocks. */
  readonly announces: () => boolean;
  /** Called when an answer did not come in time. */
  late(): void;
  close(): void;
}

/** The error of a JSON-RPC answer. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  /** As JSON-RPC and the kind of node define it. */
  readonly code: number | undefined;
  /**
   * False if the node may have executed the request nevertheless: the request was sent twice, or a gateway's HTTP status
   * came with the error.
   */
  readonly isCertain: boolean;

  constructor(code: number | undefined, message: string, isCertain = true) {
    super(message);
    this.code = code;
    this.isCertain = isCertain;
  }
}

/** Outcomes of requests that the node may have executed, errors included. */
export function uncertain(outcomes: readonly unknown[]): readonly unknown[] {
  return outcomes.map((it) => (it instanceof NodeError ? new NodeError(it.code, it.message, false) : it));
}

/** Largest answer, bytes: the receipts of about twenty full blocks. */
export const LARGEST_ANSWER = 128 * 1_048_576;

/** Longest text of a node in an error message, characters. */
const LONGEST = 300;

/** The result or the `NodeError` in one answer; undefined if it is not an answer of JSON-RPC. */
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

/** No connection to the node, or one that broke off. */
export class NodeUnreachable extends ChainUnavailable {}

/**
 * The error for a node at `url` that cannot be reached, with the reason in `cause`. That is not the cause of the error: its
 * message may hold the node's address and key.
 */
export function unreachable(url: string, cause: unknown): NodeUnreachable {
  if (cause === undefined)
    return new NodeUnreachable("The chain's node cannot be reached; check CHAIN_RPC_URL.");
  const why = reasonOf(cause, secretsIn(url));
  return new NodeUnreachable(`The chain's node cannot be reached: ${why}; check CHAIN_RPC_URL.`, {
    reason: callersReasonOf(cause),
  });
}

/** The error for an answer that is not JSON-RPC; `what` completes the sentence. */
export function malformed(what: string): ChainUnavailable {
  return new ChainUnavailable(`The chain's node answered with something unexpected: ${what}.`);
}
