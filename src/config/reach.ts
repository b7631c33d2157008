import { BlockList, isIP, isIPv4 } from 'node:net';

/** Returns true for the addresses of all interfaces. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns true if only this machine can reach a listener on the host. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  return loopback.check(host, isIPv4(host) ? 'ipv4' : 'ipv6');
}
