import type { Hex } from '../../chain/port.js';
import { parseJson } from '../../untrusted/json-text.js';
import { type BodyOrder, bodyThread, LARGEST_INLINE } from '../../untrusted/body-thread.js';
import { DEEPEST } from '../content/entity.js';
import { claimOf, type Hashed, hashed } from './claim.js';

/** A claim, its content hashed. */
export interface HashedClaim {
  readonly transactionHash: Hex;
  readonly content: Hashed;
}

/** Reads and hashes the claims of bodies, large ones beside the main thread. */
export interface Claims {
  /**
   * The claim in a body, inflated, that came from the address `client`. Throws `Refusal`: `unreadable`, `bad-request` that names every problem, `unavailable`
   * where too many bytes wait.
   */
  of(bytes: Buffer, client?: string): Promise<HashedClaim>;
  /** What is under way is refused as `unavailable`. */
  close(): Promise<void>;
}

/** Opens them; the thread is started when it is first needed. */
export function openClaims(): Claims {
  const thread = bodyThread<BodyOrder, HashedClaim>(new URL('./claim-worker.js', import.meta.url));
  return {
    async of(bytes, client) {
      return bytes.length <= LARGEST_INLINE ? claimIn({ bytes }) : thread.run({ bytes, client });
    },
    close: () => thread.close(),
  };
}

/** The claim in a body, as `Claims.of` has it, at once. */
export function claimIn({ bytes }: BodyOrder): HashedClaim {
  const claim = claimOf(parseJson(bytes, DEEPEST));
  return { transactionHash: claim.transactionHash, content: hashed(claim) };
}
