import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A DNS server on loopback. */
export interface DnsServer {
  /** Address in the form of `Resolver.setServers`. */
  readonly address: string;
  /** Requested names, one for each question. */
  readonly asked: string[];
  readonly stop: () => Promise<void>;
}

/** Answer for a name: its IPv4 and IPv6 address, if any; or that it does not exist; or no answer. */
export type DnsAnswer = { readonly A?: string; readonly AAAA?: string } | 'denied' | 'silent';

/** Starts a DNS server with given answers. */
export async function startDnsServer(answer: (name: string) => DnsAnswer): Promise<DnsServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, end } = questionOf(query);
    asked.push(name);
    const given = answer(name);
    if (given === 'silent') return;
    const type = query.readUInt16BE(end - 4);
    const address = given === 'denied' ? undefined : type === 1 ? given.A : given.AAAA;
    const data = address === undefined ? [] : bytesOf(address);
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(given === 'denied' ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(data.length === 0 ? 0 : 1, 6);
    header.writeUInt32BE(0, 8);
    // Name of the question, type, class IN, TTL 0 s, length of the data.
    const record = data.length === 0 ? [] : [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data];
    socket.send(
      Buffer.concat([header, query.subarray(12, end), Buffer.from(record)]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    stop: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

function questionOf(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

function bytesOf(address: string): number[] {
  if (!address.includes(':')) return address.split('.').map(Number);
  const groups = address.split(':').map((group) => Number.parseInt(group, 16));
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}
