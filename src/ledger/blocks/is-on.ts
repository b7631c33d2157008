import type { Chain } from '../../chain/port.js';

/** Returns true if the node is on the chain of this name, false while the chain of the node is unknown. */
export function isOn(chain: Pick<Chain, 'name'>, name: string): boolean {
  try {
    return chain.name === name;
  } catch {
    return false;
  }
}
