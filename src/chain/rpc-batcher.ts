import { NodeError } from './exchange.js';
import type { Wire } from './exchange.js';
import { ChainUnavailable } from './port.js';

/** Calls that wait for their turn; whoever comes then is told at once. */
const LONGEST_QUEUE = 20_000;

/**
 * Asks the node. Gives the result; throws `NodeError` where the node refuses, and `ChainUnavailable` where it does not
 * answer in time or not as JSON-RPC has it.
 */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
  isOpen(): boolean;
  /** Takes the answer: a result, or an `Error`. */
  settle(value: unknown): void;
  /** Told when it is settled, or has waited too long. */
  onEnd: () => void;
}

/** One for all: an error of its own for each batch costs more than the rest of it. */
const NOBODY_WAITS = new Error('nobody waits for it any more');

/** Ids are unique on every wire, also where several lanes share it. */
let lastId = 0;

/**
 * Calls to the node that travel together: those of one turn of the event loop, and those that come while `atOnce`
 * batches are under way, at most `together` in a batch. With one at once, the node gets them in order.
 */
export function lane(
  wire: Wire,
  {
    together,
    atOnce,
    timeoutMs,
  }: { readonly together: number; readonly atOnce: number; readonly timeoutMs: number },
): Ask {
  const queue: Call[] = [];
  let inFlight = 0;
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || queue.length === 0 || inFlight >= atOnce) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const free = atOnce - inFlight;
      for (let i = 0; i < free && queue.length > 0; i += 1) void carry(queue.splice(0, together));
    });
  };

  const carry = async (all: readonly Call[]): Promise<void> => {
    const calls = all.filter((call) => call.isOpen());
    if (calls.length === 0) return;
    inFlight += 1;
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
    inFlight -= 1;
    schedule();
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
        settle(new ChainUnavailable(`The chain's node did not answer ${method} in ${timeoutMs / 1000} s.`));
        wire.late();
      }, timeoutMs);
      lastId += 1;
      const call: Call = { id: lastId, method, params, isOpen: () => open, settle, onEnd: () => undefined };
      queue.push(call);
      schedule();
    });
}

/**
 * As `ask`, where no answer of the node means that the chain is as it should be: what it refuses to say is
 * `ChainUnavailable` too.
 */
export function firmly(ask: Ask): Ask {
  return async (method, params) => {
    try {
      return await ask(method, params);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      throw new ChainUnavailable(`The chain's node refused ${method}: ${error.message}.`, { cause: error });
    }
  };
}
