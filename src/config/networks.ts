import { isIP } from 'node:net';
import { type Kind, NotAllowed } from './kinds.js';

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
