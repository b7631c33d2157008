import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

/** Maximum number of addresses of X-Forwarded-For that are read, from the right. */
const MAX_HOPS = 32;
/** Some proxies add the port, and brackets to IPv6. */
const WITH_PORT = /^(?:(?<ipv4>\d+\.\d+\.\d+\.\d+):\d+|\[(?<ipv6>[^\]]+)\](?::\d+)?)$/;
const MAPPED = /^::ffff:(?<ipv4>\d+\.\d+\.\d+\.\d+)$/i;

/** An IP address, or a network in CIDR notation. */
export type Network = string;

/** The parts of a request that name its client. */
export interface Sender {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/**
 * Makes the function that returns the client of a request: an IPv4 address, or the /64 network of an IPv6 address, which
 * belongs to one subscriber. X-Forwarded-For is trusted if a proxy of `trusted` sent it: the client is the rightmost
 * address in it that is not a trusted proxy.
 */
export function clientAddresses(trusted: readonly Network[]): (req: Sender) => string {
  if (trusted.length === 0) return ({ socket }) => addressKey(socket.remoteAddress ?? '');
  const isTrusted = membership(trusted);
  return ({ socket, headers }) => {
    const peer = plainAddress(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    if (!isTrusted(peer) || typeof forwarded !== 'string') return addressKey(peer);
    return addressKey(forwardedClient(peer, forwarded, isTrusted));
  };
}

/** Makes the function that returns whether an address is in one of the networks. */
export function membership(networks: readonly Network[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

function forwardedClient(peer: string, forwarded: string, isTrusted: (address: string) => boolean): string {
  let client = peer;
  let end = forwarded.length;
  for (let hops = 0; hops < MAX_HOPS && end >= 0; hops += 1) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(',', end - 1);
    const hop = plainAddress(withoutPort(forwarded.slice(comma + 1, end).trim()));
    // The client wrote this text: the last proxy is the only known address.
    if (isIP(hop) === 0) return client;
    client = hop;
    if (!isTrusted(hop)) return client;
    end = comma;
  }
  return client;
}

function withoutPort(hop: string): string {
  const { ipv4, ipv6 } = WITH_PORT.exec(hop)?.groups ?? {};
  return ipv4 ?? ipv6 ?? hop;
}

/** Returns the IPv4 address that a dual-stack socket shows as IPv6. */
function plainAddress(address: string): string {
  return MAPPED.exec(address)?.groups?.['ipv4'] ?? address;
}

/** Returns the key of a client: its IPv4 address, or the /64 network of its IPv6 address. */
export function addressKey(address: string): string {
  const plain = plainAddress(address);
  if (!plain.includes(':')) return plain;
  const [left = '', right] = plain.split('%', 1)[0]!.split('::');
  const before = groupsOf(left);
  const after = groupsOf(right ?? '');
  const zeros = right === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function groupsOf(text: string): readonly string[] {
  // A final IPv4 address stands for two groups, outside of the /64.
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
