import { BlockList, isIP, isIPv4 } from 'node:net';

/** True for addresses that mean every interface of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** True where only this machine itself can reach what listens on the host. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost';
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  return loopback.check(host, isIPv4(host) ? 'ipv4' : 'ipv6');
}
