import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { jsonTypeOf } from '../../http/body/json-type.js';
import type { Wallet, Wallets } from '../../wallets/port.js';
import { type Common, idempotencyContent } from '../content/operations.js';
import { type Headers, idempotencyKey, linkHeader, namedWallet, walletMissing } from './headers.js';
import type { Operation } from '../operation.js';
import type { Ledger } from '../port.js';
import { answer, bodyOf } from './answer.js';
import { scopedKey, tenantOf } from './tenant.js';

/** What a request asks to be recorded, and what its Idempotency-Key stands for beside it. */
export interface Asked {
  readonly operation: Operation;
  /** The path's. */
  readonly entityId?: string;
  /** The Related-Entity, if there is one. */
  readonly relatedEntity?: string;
}

/** Makes handlers of the requests that record; `ask` checks what is to be recorded. */
export type Recorded = (ask: (ctx: EdgeContext, common: Common) => Asked | Promise<Asked>) => EdgeMiddleware;

/**
 * Handlers that answer with the receipt. Who may not sign is told before his body is read: the headers are judged and
 * the wallet opened first.
 */
export function recordedBy(ledger: Ledger, wallets: Wallets): Recorded {
  return (ask) => async (ctx) => {
    const headers = ctx.req.headersDistinct;
    const name = idempotencyKey(headers);
    const common = commonOf(ctx);
    const wallet = await walletOf(headers, wallets);
    const { operation, ...more } = await ask(ctx, common);
    const key =
      name === undefined
        ? undefined
        : { name: scopedKey(ctx, name, common), content: idempotencyContent(operation, more) };
    // Before anything is signed: who is refused here has done nothing. The proofs of a batch are held until they are read.
    ctx.state.place.answerHolds(lengthOfProofs(operation));
    ctx.state.place.waitForChain();
    answer(ctx, bodyOf(await ledger.record(operation, { wallet, key })));
  };
}

function commonOf(ctx: EdgeContext): Common {
  const headers = ctx.req.headersDistinct;
  const [contentType] = headers['content-type'] ?? [];
  const { tenant, tenantName } = tenantOf(ctx);
  return {
    tenant,
    tenantName,
    link: linkHeader(headers),
    ldJson: jsonTypeOf(contentType)?.type === 'application/ld+json',
  };
}

function walletOf(headers: Headers, wallets: Wallets): Wallet | Promise<Wallet> {
  const named = namedWallet(headers);
  if (named !== undefined) return wallets.open(named);
  if (wallets.defaultWallet === undefined) throw walletMissing();
  return wallets.defaultWallet;
}

function lengthOfProofs({ batch }: Operation): number {
  return batch === undefined ? 0 : batch.pages.reduce((sum, page) => sum + page.length, 0);
}
