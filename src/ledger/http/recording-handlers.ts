import { Refusal } from '../../errors.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { secondsSince } from '../../http/request-log.js';
import { jsonTypeOf } from '../../http/media-types.js';
import type { Wallets } from '../../wallets/named-wallet.js';
import type { Wallet } from '../../wallets/port.js';
import { type Common, idempotencyContent } from '../content/operations.js';
import { inTime } from '../../system/in-time.js';
import {
  type Headers,
  idempotencyKey,
  linkHeader,
  namedWallet,
  walletMissing,
  scopedKey,
  tenantOf,
} from './headers.js';
import type { Operation } from '../operation.js';
import type { CallerKey, Ledger } from '../port.js';
import { answer, bodyOf } from './answer.js';

export interface RecordingOptions {
  readonly ledger: Ledger;
  readonly wallets: Wallets;
  /** LEDGER_WAIT_S, ms. */
  readonly waitMs: number;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** A request to record an operation. */
export interface RecordingRequest {
  readonly operation: Operation;
  /** The id in the path. */
  readonly entityId?: string;
  /** The header Related-Entity. */
  readonly relatedEntity?: string;
  /** The key that follows from the operation itself. It takes the place of an Idempotency-Key. */
  readonly key?: CallerKey;
}

/**
 * Makes the function that makes handlers of requests that record. They answer with the receipt. `read` reads and checks the
 * operation. The headers are checked and the wallet is opened before the body is read: a caller who may not sign is refused
 * first.
 */
export function recordingHandlers({ ledger, wallets, waitMs, now }: RecordingOptions) {
  return (
    read: (ctx: EdgeContext, common: Common) => RecordingRequest | Promise<RecordingRequest>,
  ): EdgeMiddleware =>
    async (ctx) => {
      const headers = ctx.req.headersDistinct;
      const name = idempotencyKey(headers);
      const common = commonOf(ctx);
      const deadline = now() - 1_000 * secondsSince(ctx.state.startedAt) + waitMs;
      const wallet = await inTime(walletOf(headers, wallets), deadline - now(), walletNotOpened);
      const { operation, key: own, ...more } = await read(ctx, common);
      const keyOf = (header: string): CallerKey => ({
        name: scopedKey(ctx, header, common),
        content: idempotencyContent(operation, more),
      });
      const key = own ?? (name === undefined ? undefined : keyOf(name));
      // A refusal here comes before the signature. The proofs of a batch are held until the answer is read.
      ctx.state.permit.reserveAnswer(lengthOfProofs(operation));
      ctx.state.permit.waitForChain();
      answer(ctx, bodyOf(await ledger.record(operation, { wallet, key, deadline, trace: ctx.state.trace })));
    };
}

/** Returns what every operation takes from its request. Throws `Refusal`. */
export function commonOf(ctx: EdgeContext): Common {
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

async function walletOf(headers: Headers, wallets: Wallets): Promise<Wallet> {
  const named = namedWallet(headers);
  if (named !== undefined) return wallets.open(named);
  if (wallets.defaultWallet === undefined) throw walletMissing();
  return wallets.defaultWallet;
}

function lengthOfProofs({ batch }: Operation): number {
  return batch === undefined ? 0 : batch.pages.reduce((sum, page) => sum + page.length, 0);
}

function walletNotOpened(): Refusal {
  return new Refusal(
    'unavailable',
    'the host of Wallet-Address was not found in the time that LEDGER_WAIT_S allows; nothing was done',
  );
}
