import type { MqttClient } from 'mqtt';
import { inTime, settledInTime } from '../system/in-time.js';
import { type Peer, SubscriptionRefused, TakingFailed } from './broker-fault.js';
import { ANSWER_MS, clientOf, endOf, opened } from './client.js';

/** A message of a subscription. */
export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
  /** True for one that the broker had stored before the subscription. */
  readonly isRetained: boolean;
}

/**
 * Takes a message. Once it resolves, the broker is told that the message need not come again. If it rejects, the connection
 * ends, and the message comes again with the next one. `ended` is aborted when the connection ends: whoever has not begun
 * to take the message then must not, because it comes again after those before it.
 */
export type Take = (message: Message, ended: AbortSignal) => Promise<void>;

/** What a connection is for. */
export interface Subscriber extends Peer {
  /** Topic filter. */
  readonly filter: string;
  /** Topic filter that an earlier start of this client may have subscribed to, and whose subscription ends. */
  readonly formerFilter: string;
  /** Seconds for which the broker keeps the session after the end of the connection. */
  readonly sessionS: number;
  /** Largest packet that the broker may send, bytes. */
  readonly largestPacket: number;
  readonly take: Take;
}

/** A connection with a subscription. */
export interface Connection {
  /** Resolves with the reason once it has ended. Never rejects. */
  readonly ended: Promise<unknown>;
  /** Waits for the messages that are being taken, for a limited time, and ends it. The session stays at the broker. */
  close(): Promise<void>;
}

/** Maximum number of messages that are being taken. The broker keeps to it for those that it repeats. */
const IN_FLIGHT = 128;
/** Bytes of the messages that are being taken above which no further one is read from the connection. */
const BYTES_IN_FLIGHT = 16 * 1024 ** 2;
/** Maximum time for which the end of a connection waits for messages that are being taken, ms. */
const TAKEN_MS = 5_000;
/** Maximum wait for the broker to close the connection, ms. */
const CLOSE_MS = 1_000;

/** Given to the client in place of its own acknowledgement: this one follows when the message has been taken. */
const LATER = new Error('acknowledged later');

/** Connects and subscribes. Rejects with the reason if the broker does not allow it, or does not answer. */
export async function openConnection({
  filter,
  formerFilter,
  take,
  ...peer
}: Subscriber): Promise<Connection> {
  const ending = new AbortController();
  const client = clientOf(peer, {
    clean: false,
    properties: {
      sessionExpiryInterval: peer.sessionS,
      receiveMaximum: IN_FLIGHT,
      maximumPacketSize: peer.largestPacket,
    },
  });
  const taking = new Set<Promise<void>>();
  let bytes = 0;
  let isClosing = false;
  let goOn: (() => void) | undefined;
  let failure: TakingFailed | undefined;

  const taken = async (message: Message, acknowledge: () => void): Promise<void> => {
    try {
      await take(message, ending.signal);
      if (!ending.signal.aborted) acknowledge();
    } catch (error) {
      if (ending.signal.aborted) return;
      failure = new TakingFailed('not taken', { cause: error });
      ending.abort();
      client.end();
    }
  };
  // The client reads the next message when `done` was called. It acknowledges one only before that, so one after the other.
  client.handleMessage = ({ topic, payload, retain, qos, messageId }, done) => {
    const next = (): void => done(LATER);
    if (isClosing || ending.signal.aborted) return next();
    const message = { topic, payload: payload as Buffer, isRetained: retain };
    const size = message.payload.length;
    bytes += size;
    const work = taken(message, () => {
      if (qos > 0 && !client.stream.destroyed) client.stream.write(acknowledgement(messageId!));
    }).finally(() => {
      taking.delete(work);
      bytes -= size;
      if (goOn === undefined || !hasRoom()) return;
      const resume = goOn;
      goOn = undefined;
      resume();
    });
    taking.add(work);
    if (hasRoom()) next();
    else goOn = next;
  };
  const hasRoom = (): boolean => taking.size < 2 * IN_FLIGHT && bytes < BYTES_IN_FLIGHT;

  const ended = endOf(client).then((reason) => {
    ending.abort();
    return failure ?? reason;
  });
  await opened(client, ended);
  try {
    await subscribe(client, filter, ended);
    client.unsubscribe(formerFilter);
  } catch (error) {
    client.end(true);
    throw error;
  }
  return {
    ended,
    async close() {
      isClosing = true;
      await settledInTime(Promise.all(taking), TAKEN_MS);
      ending.abort();
      client.end();
      await inTime(ended, CLOSE_MS, () => new Error('late')).catch(() => client.stream.destroy());
    },
  };
}

async function subscribe(client: MqttClient, filter: string, ended: Promise<unknown>): Promise<void> {
  // `rh`: stored messages come only with a new subscription.
  const subscribed = client.subscribeAsync(filter, { qos: 1, rh: 1 }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const late = (): Error => new Error('no answer to the subscription');
  const fault = await inTime(Promise.race([subscribed, ended]), ANSWER_MS, late);
  if (fault === undefined) return;
  if (client.connected) throw new SubscriptionRefused(filter, fault);
  throw await ended;
}

/** Returns a PUBACK of MQTT 5 with the reason code 0, success, which it need not contain. */
function acknowledgement(packetId: number): Buffer {
  return Buffer.from([0x40, 2, packetId >> 8, packetId & 0xff]);
}
