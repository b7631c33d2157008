import type { Chain } from '../../chain/port.js';

/** True where the node is on the chain of this name; false also while it is not known which chain it is. */
export function isOn(chain: Pick<Chain, 'name'>, name: string): boolean {
  try {
    return chain.name === name;
  } catch {
    return false;
  }
}
