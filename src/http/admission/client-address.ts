import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

/** Addresses of X-Forwarded-For that are looked at, from the right. */
const MOST_HOPS = 32;
/** Some proxies write the port as well, and IPv6 in brackets. */
const WITH_PORT = /^(?:(?<ipv4>\d+\.\d+\.\d+\.\d+):\d+|\[(?<ipv6>[^\]]+)\](?::\d+)?)$/;
const MAPPED = /^::ffff:(?<ipv4>\d+\.\d+\.\d+\.\d+)$/i;

/** An IP address, or a network in CIDR notation. */
export type Network = string;

/**
 * Makes the function that names the client of a request: an IPv4 address, or the /64 network of an IPv6 address, which
 * one subscriber has as a whole. X-Forwarded-For is believed where a proxy of `trusted` adds it: the client is the
 * rightmost address in it that is no trusted proxy.
 */
export function clientAddresses(trusted: readonly Network[]): (req: IncomingMessage) => string {
  if (trusted.length === 0) return ({ socket }) => addressKey(socket.remoteAddress ?? '');
  const isTrusted = membership(trusted);
  return ({ socket, headers }) => {
    const peer = plainAddress(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    if (!isTrusted(peer) || typeof forwarded !== 'string') return addressKey(peer);
    return addressKey(forwardedClient(peer, forwarded, isTrusted));
  };
}

/** Makes the function that says whether an address lies in one of the networks. */
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
  for (let hops = 0; hops < MOST_HOPS && end >= 0; hops += 1) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(',', end - 1);
    const hop = plainAddress(withoutPort(forwarded.slice(comma + 1, end).trim()));
    // What is no address was written by the client: the last proxy is all that is known.
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

/** IPv4 that a socket for both families shows as IPv6 is IPv4. */
function plainAddress(address: string): string {
  return MAPPED.exec(address)?.groups?.['ipv4'] ?? address;
}

/** What the clients of one address have in common: the address of IPv4, the /64 network of IPv6. */
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
  // An IPv4 address at the end stands for two groups, which lie outside the /64.
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
