import { malformed, outcomeOf, type RpcRequest, uncertain } from './exchange.js';

/** Sends a batch. Resolves with the outcomes in order, or with undefined if the node does not take such a batch. */
type SendTogether = (
  requests: readonly RpcRequest[],
  signal: AbortSignal,
) => Promise<readonly unknown[] | undefined>;

/** Maximum number of requests without an answer if the node takes no batches. */
const SINGLES = 8;

/**
 * Sends requests in as few batches as the node takes. A batch that it refuses is sent again in halves, down to single
 * requests; the size that it took is remembered. Errors to requests that were sent twice are not certain.
 */
export function batches(send: SendTogether) {
  let largest = Number.POSITIVE_INFINITY;

  async function inPieces(requests: readonly RpcRequest[], size: number, signal: AbortSignal) {
    const values: unknown[] = [];
    const step = size === 1 ? SINGLES : size;
    for (let from = 0; from < requests.length; from += step) {
      const piece = requests.slice(from, from + step);
      const sent = size === 1 ? piece.map((request) => send([request], signal)) : [send(piece, signal)];
      const answered = await Promise.all(sent);
      if (answered.includes(undefined)) return undefined;
      values.push(...answered.flatMap((some) => some ?? []));
    }
    return values;
  }

  return async (requests: readonly RpcRequest[], signal: AbortSignal): Promise<readonly unknown[]> => {
    const first = Math.min(largest, requests.length);
    for (let size = first; ;) {
      const values = await inPieces(requests, size, signal);
      if (values !== undefined) {
        if (size < requests.length) largest = Math.min(largest, size);
        return size < first ? uncertain(values) : values;
      }
      if (size === 1) throw malformed('its answer is not JSON-RPC');
      size = Math.floor(size / 2);
    }
  };
}

/** A request as it is sent. */
export function envelope(request: RpcRequest): object {
  return { jsonrpc: '2.0', ...request };
}

/** The outcomes of requests, in order, from answers in any order; `ChainUnavailable` for a request without an answer. */
export function inOrder(requests: readonly RpcRequest[], answers: readonly unknown[]): readonly unknown[] {
  const byId = new Map(answers.map((answer) => [(answer as { id?: unknown } | null)?.id, answer]));
  return requests.map(({ id, method }) => {
    const outcome = outcomeOf(byId.get(id));
    return outcome === undefined ? malformed(`nothing to ${method}`) : outcome.value;
  });
}
