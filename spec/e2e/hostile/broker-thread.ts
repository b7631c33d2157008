import { parentPort } from 'node:worker_threads';
import { publish, rawBroker } from '../../mqtt/raw-broker.js';
import { worstMessages } from './worst-messages.js';

/** Messages to send: a kind of `worstMessages`, and how many. The thread answers once all are acknowledged. */
export interface Burst {
  readonly kind: string;
  readonly count: number;
}

/** The first message of the thread. */
export interface BrokerReady {
  readonly url: string;
}

// A broker in a thread, so that neither making messages nor sending them holds the event loop of the service. As a broker does, it
// sends a further message for each one that is acknowledged.

/** Messages that the service lets a broker send without an acknowledgement. */
const IN_FLIGHT = 128;
const PACKET_IDS = 0xffff;

let send: (packet: Buffer) => void = () => undefined;
let toSend: Iterator<readonly [topic: string, payload: string]> | undefined;
let unacknowledged = 0;
let sent = 0;

function sendNext(): void {
  if (toSend === undefined) return;
  const next = toSend.next();
  if (next.done !== true) {
    unacknowledged += 1;
    sent += 1;
    return send(publish(1 + (sent % PACKET_IDS), ...next.value));
  }
  if (unacknowledged > 0) return;
  toSend = undefined;
  parentPort?.postMessage('acknowledged', []);
}

function* messagesOf({ kind, count }: Burst) {
  const message = worstMessages[kind]!;
  for (let i = 0; i < count; i += 1) yield message(sent + i);
}

let isReady = (): void => undefined;
const subscribed = new Promise<void>((resolve) => {
  isReady = resolve;
});
const broker = await rawBroker({
  subscribed(packets) {
    send = packets;
    isReady();
  },
  onAcknowledged() {
    unacknowledged -= 1;
    sendNext();
  },
});

parentPort?.on('message', (burst: Burst) => {
  void subscribed.then(() => {
    toSend = messagesOf(burst);
    for (let i = 0; i < IN_FLIGHT && toSend !== undefined; i += 1) sendNext();
  });
});
parentPort?.postMessage({ url: broker.url } satisfies BrokerReady, []);
