import { Router } from '@koa/router';
import type { EdgeContext, EdgeRouter, EdgeState } from '../../http/context.js';
import { acceptJsonOrLd } from '../../http/negotiate.js';
import { claimOf } from './claim.js';
import { verify } from './verify.js';
import type { StoredProof, Witnesses } from './verify.js';

export interface VerifyRoutesOptions {
  readonly chain: Witnesses['chain'];
  /** The proofs of the batches that this service has recorded. */
  readonly storedProof: StoredProof;
  /** Reads the JSON body of a request, as for the operations that record. */
  readonly body: (ctx: EdgeContext) => Promise<unknown>;
}

/**
 * POST `/ledger/verify`: whether a transaction has recorded some content, by whom and when (contract, Verify). Asks for
 * no token: everything that it answers is in the request or on the chain.
 */
export function verifyRoutes({ chain, storedProof, body }: VerifyRoutesOptions): EdgeRouter {
  const router = new Router<EdgeState, object>();
  router.post('/ledger/verify', acceptJsonOrLd, async (ctx) => {
    const claim = claimOf(await body(ctx));
    const verdict = await verify(claim, { chain, storedProof });
    ctx.status = 200;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = verdict;
  });
  return router;
}
