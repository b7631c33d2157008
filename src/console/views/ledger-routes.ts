import { Refusal } from '../../errors.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { READ, type Route, route } from '../../http/router.js';
import type { BrowseRange } from '../../ledger/browse/browse.js';
import type { LedgerBrowse } from '../../ledger/open.js';
import { checkTenantId } from '../../ledger/http/headers.js';
import { provenEntity } from '../../ledger/http/proof-routes.js';
import { onlyOf, plain, wholeNumber } from '../../http/query.js';
import type { Hex } from '../../system/chain-bytes.js';
import { tenantOf } from '../viewer.js';

export interface LedgerRouteOptions {
  /** undefined with LEDGER=off: every path is 404. */
  readonly browse: LedgerBrowse | undefined;
  /** True if callers of the ledger prove their tenant (LEDGER_AUTH=token): a tenant then sees its own transactions alone. */
  readonly scoped: boolean;
  /** Puts the viewer into `ctx.state`. */
  readonly viewer: EdgeMiddleware;
}

const LIMIT = 50;
const LIMIT_MAX = 200;
const HASH = /^0x[\da-f]{64}$/i;

/** Routes of the ledger below `/console/api/ledger`: lists, newest first, and single receipts with their proofs. */
export function ledgerRoutes({ browse, scoped, viewer }: LedgerRouteOptions): readonly Route[] {
  const on = (
    path: string,
    parameters: readonly string[],
    answer: (ledger: LedgerBrowse, ctx: EdgeContext, tenant: string | undefined) => Promise<unknown>,
  ): Route =>
    route(READ, `/console/api/ledger${path}`, viewer, async (ctx) => {
      if (browse === undefined)
        throw new Refusal('not-found', 'there is no ledger: the service was started with LEDGER=off');
      onlyOf(ctx, parameters);
      const tenant = scoped ? tenantOf(ctx.state.viewer, undefined) : undefined;
      if (tenant !== undefined) checkTenantId(tenant);
      const found = await answer(browse, ctx, tenant);
      if (found === undefined) throw new Refusal('not-found', unknownOf(ctx));
      ctx.body = found;
    });

  return [
    on('', [], (ledger, _ctx, tenant) => ledger.ledger(tenant)),
    on('/entities', ['query', 'before', 'limit'], (ledger, ctx, tenant) =>
      ledger.entities({ ...rangeOf(ctx), query: plain(ctx, 'query') }, tenant),
    ),
    on('/entities/:entityId', ['before', 'limit'], (ledger, ctx, tenant) =>
      ledger.entity(ctx.params['entityId']!, rangeOf(ctx), tenant),
    ),
    on('/operations', ['before', 'limit'], (ledger, ctx, tenant) =>
      ledger.operations({ before: plain(ctx, 'before'), limit: limitOf(ctx) }, tenant),
    ),
    on('/receipts/:hash', [], (ledger, ctx, tenant) => ledger.receipt(hashIn(ctx), tenant)),
    on('/receipts/:hash/proof', ['entity', 'hash'], (ledger, ctx, tenant) => {
      ctx.state.permit.waitForChain();
      const { client } = ctx.state;
      return ledger.blockProof({
        transactionHash: hashIn(ctx),
        ...provenEntity(ctx.querystring),
        tenant,
        client,
      });
    }),
    on('/receipts/:hash/entries', ['from', 'entity'], (ledger, ctx, tenant) => {
      const entity = plain(ctx, 'entity');
      if (entity !== undefined) return ledger.entriesWithId(hashIn(ctx), entity, tenant);
      return ledger.entries(hashIn(ctx), wholeNumber(ctx, 'from', 0, Number.MAX_SAFE_INTEGER) ?? 0, tenant);
    }),
    on('/receipts/:hash/entries/:index/proof', [], (ledger, ctx, tenant) =>
      ledger.proof(hashIn(ctx), indexIn(ctx), tenant),
    ),
  ];
}

function rangeOf(ctx: EdgeContext): BrowseRange {
  return {
    before: wholeNumber(ctx, 'before', 0, Number.MAX_SAFE_INTEGER),
    limit: limitOf(ctx),
  };
}

function limitOf(ctx: EdgeContext): number {
  return wholeNumber(ctx, 'limit', 1, LIMIT_MAX) ?? LIMIT;
}

function hashIn(ctx: EdgeContext): Hex {
  const hash = ctx.params['hash']!;
  if (HASH.test(hash)) return hash.toLowerCase() as Hex;
  throw new Refusal('bad-request', 'hash: must be 0x and the 64 hexadecimal digits of a transaction’s hash');
}

function indexIn(ctx: EdgeContext): number {
  const index = ctx.params['index']!;
  if (/^\d{1,15}$/.test(index)) return Number(index);
  throw new Refusal('bad-request', 'index: must be the number of an entry in the batch, from 0');
}

function unknownOf(ctx: EdgeContext): string {
  return ctx.params['entityId'] === undefined
    ? 'no such transaction here; it may be another tenant’s, or not in a block yet'
    : 'no transaction is recorded for this entity';
}
