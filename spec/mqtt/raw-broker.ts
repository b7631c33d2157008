import { createServer, type Socket } from 'node:net';
import { listenReserved } from '../servers/ports.js';

/** Packets of MQTT 5 that a broker sends. */
const CONNACK = Buffer.from([0x20, 3, 0, 0, 0]);
const PINGRESP = Buffer.from([0xd0, 0]);
/** "Unacceptable protocol version" of MQTT 3.1.1. */
export const CONNACK_3 = Buffer.from([0x20, 2, 0, 1]);
/** "Session taken over". */
export const TAKEN_OVER = Buffer.from([0xe0, 2, 0x8e, 0]);
/** Reason codes of SUBACK: granted with QoS 1, and "Not authorized". */
const GRANTED = 1;
export const DENIED = 0x87;

/** Returns a PUBLISH with QoS 1. `isRepeated`: it may have been sent before. */
export function publish(packetId: number, topic: string, payload: string, isRepeated = false): Buffer {
  const name = Buffer.from(topic);
  const rest = Buffer.concat([
    twoBytes(name.length),
    name,
    twoBytes(packetId),
    Buffer.from([0]),
    Buffer.from(payload),
  ]);
  return Buffer.concat([Buffer.from([isRepeated ? 0x3a : 0x32, ...lengthBytes(rest.length)]), rest]);
}

function twoBytes(number: number): Buffer {
  return Buffer.from([number >> 8, number & 0xff]);
}

/** Returns the length of the rest of a packet: seven bits a byte, the lowest first. */
function lengthBytes(length: number): readonly number[] {
  return length < 128 ? [length] : [(length & 0x7f) | 0x80, ...lengthBytes(length >> 7)];
}

/** A broker that says what a spec wants, and keeps nothing. */
export interface RawBroker {
  readonly url: string;
  /** Packet ids of the PUBACKs that came, one array for each connection. */
  readonly acknowledged: readonly (readonly number[])[];
  close(): Promise<void>;
}

/**
 * Starts a broker. `connack` answers CONNECT, and `suback` is the reason code of SUBACK. `subscribed` is called after SUBACK
 * with what sends packets, and the number of the connection from 0 on.
 */
export async function rawBroker(options: {
  readonly connack?: Buffer;
  readonly suback?: number;
  readonly subscribed?: (send: (...packets: readonly Buffer[]) => void, connection: number) => void;
  /** Called after each PUBACK. */
  readonly onAcknowledged?: () => void;
}): Promise<RawBroker> {
  const { connack = CONNACK, suback = GRANTED, subscribed, onAcknowledged } = options;
  const sockets = new Set<Socket>();
  const acknowledged: number[][] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    const number = acknowledged.push([]) - 1;
    socket.on('error', () => undefined);
    let read: Buffer = Buffer.alloc(0);
    socket.on('data', (more) => {
      const data = Buffer.concat([read, more]);
      let at = 0;
      // Each packet of the client is shorter than 128 bytes, but for CONNECT maybe.
      for (; at + 2 <= data.length && at + 2 + data[at + 1]! <= data.length; at += 2 + data[at + 1]!) {
        const type = data[at]! >> 4;
        const id = (): number => data.readUInt16BE(at + 2);
        if (type === 1) {
          socket.write(connack);
          at = data.length;
          break;
        }
        if (type === 12) socket.write(PINGRESP);
        if (type === 4) {
          acknowledged[number]!.push(id());
          onAcknowledged?.();
        }
        if (type === 8) {
          socket.write(Buffer.from([0x90, 4, id() >> 8, id() & 0xff, 0, suback]));
          subscribed?.((...packets) => socket.write(Buffer.concat(packets)), number);
        }
        if (type === 10) socket.write(Buffer.from([0xb0, 4, id() >> 8, id() & 0xff, 0, 0x11]));
      }
      read = data.subarray(at);
    });
  });
  const port = await listenReserved(server);
  return {
    url: `mqtt://127.0.0.1:${port}`,
    acknowledged,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
