import type { Hex } from '../../chain/port.js';
import type { Sending } from './broadcast.js';
import type { SignedOperation } from './signed-operation.js';

/**
 * Transactions that are sent before they have actors of their own. All that a crash could ask for is in the wallet's
 * commit: the transaction, and every lower nonce of the account.
 */
export interface InFlight {
  /** Sends one. */
  start(signed: SignedOperation): Promise<Sending>;
  /** How it ends with one, where it is under way and was not taken yet. */
  take(hash: Hex): Promise<Sending> | undefined;
  /** Has one that nobody has taken not sent again. */
  drop(hash: Hex): void;
}

/** Makes it for a node of the service. `send`: as in `sending`, for as long as it is wanted. */
export function createInFlight(
  send: (signed: SignedOperation, isWanted: () => boolean) => Promise<Sending>,
): InFlight {
  const inFlight = new Map<Hex, { readonly sending: Promise<Sending>; readonly drop: () => void }>();
  return {
    start(signed) {
      let wanted = true;
      const sending = send(signed, () => wanted);
      // Whoever takes it looks at how it failed, and nobody may.
      sending.catch(() => undefined);
      inFlight.set(signed.hash, { sending, drop: () => (wanted = false) });
      return sending;
    },
    take(hash) {
      const sending = inFlight.get(hash)?.sending;
      inFlight.delete(hash);
      return sending;
    },
    drop(hash) {
      inFlight.get(hash)?.drop();
      inFlight.delete(hash);
    },
  };
}
