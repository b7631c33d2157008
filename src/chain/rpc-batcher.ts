import { NodeError, type Wire } from './exchange.js';
import { ChainUnavailable } from './port.js';

/** Maximum number of calls that wait to be sent. A call beyond them is rejected at once. */
const LONGEST_QUEUE = 20_000;

/**
 * Calls a method of the node. Resolves with the result. Throws `NodeError` for an error of the node, and
 * `ChainUnavailable` if no answer comes in time or the answer is not JSON-RPC.
 */
export type RpcCall = (method: string, params: readonly unknown[]) => Promise<unknown>;

export interface RpcBatcherOptions {
  /** Maximum number of calls in a batch. */
  readonly batchSize: number;
  /** Maximum number of batches without an answer. With 1, the node gets the calls in order. */
  readonly maxUnanswered: number;
  /** Maximum time that a call waits for its answer, its time in the queue included, ms. */
  readonly timeoutMs: number;
  /** Time after which a batch without an answer does not hold up the next one any more, ms; absent: `timeoutMs`. */
  readonly patienceMs?: number;
}

interface QueuedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
  isOpen(): boolean;
  /** Takes the answer: a result, or an `Error`. */
  settle(value: unknown): void;
  /** Called when the call has its answer or its time is over. */
  onEnd: () => void;
}

/** The reason for all aborts: an error for each batch would cost more than the rest of the batch. */
const NOBODY_WAITS = new Error('no caller waits for the batch any more');

/** Ids are unique on every wire, also if several batchers share it. */
let lastId = 0;

/**
 * Sends calls to the node in batches: the calls of one turn of the event loop, and those that come while `maxUnanswered`
 * batches have no answer.
 */
export function createRpcBatcher(
  wire: Wire,
  { batchSize, maxUnanswered, timeoutMs, patienceMs = timeoutMs }: RpcBatcherOptions,
): RpcCall {
  const queue: QueuedCall[] = [];
  let unanswered = 0;
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || queue.length === 0 || unanswered >= maxUnanswered) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const free = maxUnanswered - unanswered;
      for (let i = 0; i < free && queue.length > 0; i += 1) void send(queue.splice(0, batchSize));
    });
  };

  const send = async (queued: readonly QueuedCall[]): Promise<void> => {
    const calls = queued.filter((call) => call.isOpen());
    // Others may wait after calls whose time is over.
    if (calls.length === 0) return schedule();
    unanswered += 1;
    let counts = true;
    const release = (): void => {
      if (!counts) return;
      counts = false;
      unanswered -= 1;
      schedule();
    };
    const patience = setTimeout(release, patienceMs);
    const controller = new AbortController();
    let open = calls.length;
    for (const call of calls) call.onEnd = () => (open -= 1) === 0 && controller.abort(NOBODY_WAITS);
    const requests = calls.map(({ id, method, params }) => ({ id, method, params }));
    try {
      const values = await wire.exchange(requests, controller.signal);
      for (const [i, call] of calls.entries()) call.settle(values[i]);
    } catch (error) {
      for (const call of calls) call.settle(error);
    }
    clearTimeout(patience);
    release();
  };

  return (method, params) =>
    new Promise((resolve, reject) => {
      if (queue.length >= LONGEST_QUEUE) {
        reject(new ChainUnavailable(`More than ${LONGEST_QUEUE} calls wait for the chain's node already.`));
        return;
      }
      let open = true;
      const settle = (value: unknown): void => {
        if (!open) return;
        open = false;
        clearTimeout(timer);
        if (value instanceof Error) reject(value);
        else resolve(value);
        call.onEnd();
      };
      const timer = setTimeout(() => {
        const time = `in ${timeoutMs / 1000} s`;
        const reason = `no answer ${time}`;
        settle(new ChainUnavailable(`The chain's node did not answer ${method} ${time}.`, { reason }));
        wire.late();
      }, timeoutMs);
      lastId += 1;
      const call: QueuedCall = {
        id: lastId,
        method,
        params,
        isOpen: () => open,
        settle,
        onEnd: () => undefined,
      };
      queue.push(call);
      schedule();
    });
}

/** As `call`, for methods to which a working node gives no error: a `NodeError` becomes `ChainUnavailable`. */
export function orUnavailable(call: RpcCall): RpcCall {
  return async (method, params) => {
    try {
      return await call(method, params);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      throw new ChainUnavailable(`The chain's node refused ${method}: ${error.message}.`, { cause: error });
    }
  };
}
