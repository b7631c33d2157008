import { batches } from './batches.js';
import { unreachable } from './exchange.js';
import type { Wire } from './exchange.js';
import { Socket } from './socket.js';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5_000;
/** Of the only request that is no call's. */
const SUBSCRIPTION_ID = 0;

export interface SocketWireOptions {
  readonly url: string;
  /** Longest that opening a connection may take, ms. */
  readonly timeoutMs: number;
  /** Told of a new block, or of another one in the place of the newest. */
  readonly onHead: () => void;
  /** Told that a connection is there after one was lost. */
  readonly onReturn: () => void;
}

/**
 * JSON-RPC over WebSocket. A connection that ends, or on which an answer is late, is replaced: soon, and then with
 * back-off.
 */
export function socketWire({ url, timeoutMs, onHead, onReturn }: SocketWireOptions): Wire {
  let current: Promise<Socket> | undefined;
  let drop = (): void => undefined;
  let failures = 0;
  let announces = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  function connect(): Promise<Socket> {
    const opening = new Promise<Socket>((resolve, reject) => {
      const onOpen = (): void => {
        failures = 0;
        resolve(socket);
        void subscribe(socket).then((subscribed) => {
          announces = subscribed && drop === end;
        });
      };
      const socket = new Socket(url, timeoutMs, { onOpen, onNotification: onHead });
      const end = (): void => {
        reject(unreachable());
        socket.end();
        if (drop === end) lost();
      };
      drop = end;
      // It tells of faults after its end as well: without a listener each would end the process.
      socket.on('error', end);
      socket.on('disconnect', end);
    });
    opening.catch(() => undefined);
    return opening;
  }

  function lost(): void {
    current = undefined;
    announces = false;
    drop = () => undefined;
    if (closed) return;
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
    failures += 1;
    timer = setTimeout(() => {
      current = connect();
      current.then(onReturn, () => undefined);
    }, delay).unref();
  }

  current = connect();
  return {
    exchange: batches(async (requests) => {
      if (current === undefined) throw unreachable();
      return (await current).ask(requests);
    }),
    announces: () => announces,
    late: () => drop(),
    close() {
      closed = true;
      clearTimeout(timer);
      drop();
    },
  };
}

/** Whether the node will tell of new blocks; where it does not, the watcher asks more often. */
async function subscribe(socket: Socket): Promise<boolean> {
  const request = { id: SUBSCRIPTION_ID, method: 'eth_subscribe', params: ['newHeads'] };
  const [outcome] = (await socket.ask([request]).catch(() => undefined)) ?? [];
  return outcome !== undefined && !(outcome instanceof Error);
}
