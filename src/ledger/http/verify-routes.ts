import type { ReadBytes } from '../../http/body/body.js';
import { type Route, route } from '../../http/router.js';
import { acceptJsonOrLd } from '../../http/media-types.js';
import type { Claims } from '../verify/claim.js';
import { type StoredProofs, verifyHashed, type Witnesses } from '../verify/verify.js';

/** Characters of an entry in an answer, roughly. */
const ENTRY_CHARACTERS = 200;

export interface VerifyRoutesOptions {
  readonly chain: Witnesses['chain'];
  /** Looks up the proofs of batches that this service has recorded. */
  readonly storedProofs: StoredProofs;
  readonly claims: Claims;
  /** Reads the body of a request, as for L5: it may have all entities of a batch. */
  readonly body: ReadBytes;
}

/**
 * Returns the route POST `/ledger/verify`: whether a transaction has recorded some content, its signer and its time
 * (docs/ledger-api.md, "Verify"). It needs no token: its answers are in the request or on the chain.
 */
export function verifyRoutes({ chain, storedProofs, claims, body }: VerifyRoutesOptions): readonly Route[] {
  const verify = route(['POST'], '/ledger/verify', acceptJsonOrLd, async (ctx) => {
    const claim = await claims.of(await body(ctx), ctx.state.client);
    ctx.state.permit.waitForChain();
    const verdict = await verifyHashed(claim, { chain, storedProofs });
    // Without entries an answer is short.
    ctx.state.permit.reserveAnswer((verdict.entries?.length ?? 0) * ENTRY_CHARACTERS);
    ctx.status = 200;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = verdict;
  });
  return [verify];
}
