import type { Hex } from '../../chain/port.js';
import { type BodyOrder, bodyThread, LARGEST_INLINE } from '../../untrusted/body-thread.js';
import { parseContent } from '../content/content-json.js';
import { claimOf, type Hashed, hashed } from './claim.js';

/** A claim with hashed content. */
export interface HashedClaim {
  readonly transactionHash: Hex;
  readonly content: Hashed;
}

/** Reads and hashes the claims in bodies; large bodies in a worker thread. */
export interface Claims {
  /**
   * Returns the claim in a body. `bytes`: the body, inflated; `client`: the address that it comes from. Throws `Refusal`:
   * `unreadable`, `bad-request` that names every problem, `unavailable` if too many bytes wait.
   */
  of(bytes: Buffer, client?: string): Promise<HashedClaim>;
  /** Refuses claims in progress as `unavailable`. */
  close(): Promise<void>;
}

/** Returns the claims. The worker thread starts with the first large body. */
export function openClaims(): Claims {
  const thread = bodyThread<BodyOrder, HashedClaim>(new URL('./claim-worker.js', import.meta.url));
  return {
    async of(bytes, client) {
      return bytes.length <= LARGEST_INLINE ? claimIn({ bytes }) : thread.run({ bytes, client });
    },
    close: () => thread.close(),
  };
}

/** As `Claims.of`, in the calling thread. */
export function claimIn({ bytes }: BodyOrder): HashedClaim {
  const claim = claimOf(parseContent(bytes));
  return { transactionHash: claim.transactionHash, content: hashed(claim) };
}
