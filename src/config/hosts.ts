import { BlockList, isIP, isIPv4 } from 'node:net';
import { type Kind, NotAllowed } from './kinds.js';

/** Host names of a Host header, without ports, in lower case. */
export const hostNames: Kind<readonly string[]> = {
  allowed: 'host names like rules.example.org, without ports, separated by commas',
  parse: (value) => {
    const names = value.split(',').map((name) => name.trim().toLowerCase());
    const wrong = names.findIndex((name) => !/^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/.test(name));
    return wrong === -1 ? names : new NotAllowed(`number ${wrong + 1} of the list is wrong`);
  },
};

/** IP addresses and networks in CIDR notation, separated by commas. */
export const networks: Kind<readonly string[]> = {
  allowed: 'IP addresses, or networks like 10.0.0.0/8, separated by commas',
  parse: (text) => {
    const found = text.split(',').map((network) => network.trim());
    return found.every(isNetwork) ? found : new NotAllowed();
  },
};

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const maxPrefix = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (maxPrefix === -1 || more.length > 0 || address.includes('%')) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= maxPrefix);
}

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
