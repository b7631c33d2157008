import type { Chain, Hex, Sent } from '../chain/port.js';
import type { SignedOperation } from './wallet-machine.js';

/**
 * Transactions that are handed to the node while their actors are still being stored. All that a crash could ask for is
 * in the wallet's commit: the transaction, and every lower nonce of the account.
 */
export interface Ahead {
  /** `name`: of the chain that it was signed for. */
  send(name: string, signed: SignedOperation): void;
  /** What the node says of one, once; undefined where it was not sent ahead. */
  take(hash: Hex): Promise<Sent> | undefined;
}

/** Most that are remembered: those whose actors another node looks after are never asked for. */
const MOST = 10_000;

/** Makes it for a node of the service. */
export function createAhead(chain: Pick<Chain, 'name' | 'send'>): Ahead {
  const underWay = new Map<Hex, Promise<Sent>>();

  const handOver = async (name: string, raw: Hex): Promise<Sent> => {
    if (name !== chain.name) throw new Error(`the node is not on chain ${name}`);
    return chain.send(raw);
  };

  return {
    send(name, { hash, raw }) {
      const sent = handOver(name, raw);
      // Whoever takes it looks at how it failed, and nobody may.
      sent.catch(() => undefined);
      underWay.set(hash, sent);
      if (underWay.size > MOST) underWay.delete(underWay.keys().next().value!);
    },
    take(hash) {
      const sent = underWay.get(hash);
      underWay.delete(hash);
      return sent;
    },
  };
}
