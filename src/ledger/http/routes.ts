import { Router } from '@koa/router';
import { Refusal } from '../../errors.js';
import type { Area } from '../../http/areas.js';
import type { EdgeContext, EdgeMiddleware, EdgeRouter, EdgeState } from '../../http/context.js';
import { acceptJsonOrLd } from '../../http/negotiate.js';
import { problemErrors } from '../../http/failures/problem.js';
import type { Wallets } from '../../wallets/port.js';
import type { BodyOperations } from '../content/body-operations.js';
import { queryOperation, retrieveOperation } from '../content/operations.js';
import { relatedEntity } from './headers.js';
import type { Ledger } from '../port.js';
import { answer, streamOf } from './answer.js';
import type { LedgerBodies } from './bodies.js';
import { ATTRIBUTES, ENTITIES, ENTITY, entityIdInPath, RECORDED, RECORDED_ENTITY, UPSERT } from './paths.js';
import { batchNameOf, pageOfEntities, pageOfTransactions, queryOf } from './query.js';
import { recordedBy } from './recorded.js';
import { tenantAllowed, tenantCounted, tenantOf } from './tenant.js';

export interface LedgerRoutesOptions {
  readonly ledger: Ledger;
  readonly wallets: Wallets;
  readonly operations: BodyOperations;
  readonly bodies: LedgerBodies;
  /** Checks the token of a request (LEDGER_AUTH=token); undefined where everybody is let in. */
  readonly authenticated: EdgeMiddleware | undefined;
}

/** The parts of the path space that are the ledger's: ids there may end in `.json`, and errors are problems. */
export const ledgerAreas: readonly Area[] = ['/ngsi-ld', '/entity', '/ledger'].map((prefix) => ({
  prefix,
  errors: problemErrors,
  literalPaths: true,
  // L2 and L4.
  getsRecord: prefix === '/ngsi-ld',
}));

/** In place of the ledger's routes where there is none: whoever looks for it is told. */
export function withoutLedger(): EdgeRouter {
  const router = new Router<EdgeState, object>();
  const paths = ledgerAreas.flatMap(({ prefix }) => [prefix, `${prefix}/*below`]);
  router.all(paths, () => {
    throw new Refusal(
      'not-found',
      'this service has no ledger: LEDGER is off, or NODE_ENV is production and CHAIN_RPC_URL is not set',
    );
  });
  return router;
}

/** The seven operations (ledger §4): each checks, makes one call and presents its result. */
export function ledgerRoutes(options: LedgerRoutesOptions): EdgeRouter {
  const { ledger, wallets, operations, bodies, authenticated } = options;
  const router = new Router<EdgeState, object>();
  const callers = [...(authenticated === undefined ? [] : [authenticated]), tenantAllowed, tenantCounted];
  const checks = [acceptJsonOrLd, ...callers];
  const entityChecks = [acceptJsonOrLd, entityIdInPath, ...callers];
  const recorded = recordedBy(ledger, wallets);

  const create = recorded(async (ctx, common) => ({
    operation: await operations.of({
      name: 'create',
      bytes: await bodies.entity(ctx),
      common,
      client: clientOf(ctx),
    }),
  }));
  const query = recorded((ctx, common) => {
    const related = relatedEntity(ctx.req.headersDistinct);
    const operation = queryOperation(queryOf(ctx.querystring), related, common);
    return { operation, relatedEntity: related };
  });
  const update = recorded(async (ctx, common) => {
    const entityId = entityIdOf(ctx);
    const bytes = await bodies.entity(ctx);
    return {
      operation: await operations.of({ name: 'update', entityId, bytes, common, client: clientOf(ctx) }),
      entityId,
    };
  });
  const retrieve = recorded((ctx, common) => {
    const entityId = entityIdOf(ctx);
    return { operation: retrieveOperation(entityId, queryOf(ctx.querystring), common), entityId };
  });
  const upsert = recorded(async (ctx, common) => {
    const name = batchNameOf(queryOf(ctx.querystring));
    return {
      operation: await operations.of({ name, bytes: await bodies.batch(ctx), common, client: clientOf(ctx) }),
    };
  });
  const list: EdgeMiddleware = async (ctx) => {
    const page = pageOfEntities(queryOf(ctx.querystring));
    answer(ctx, streamOf(await ledger.entities(page, tenantOf(ctx).tenant)));
  };
  const transactions: EdgeMiddleware = async (ctx) => {
    const page = pageOfTransactions(queryOf(ctx.querystring));
    const { tenant, tenantName = tenant } = tenantOf(ctx);
    const pieces = await ledger.transactions(entityIdOf(ctx), page, tenant);
    if (pieces === undefined) throw new Refusal('not-found', nothingOf(tenantName));
    answer(ctx, streamOf(pieces));
  };

  on(router, ['POST'], ENTITIES, [...checks, create]);
  on(router, ['GET'], ENTITIES, [...checks, query]);
  // Brokers have both methods for it, and clients of the original use either.
  on(router, ['POST', 'PATCH'], ATTRIBUTES, [...entityChecks, update]);
  on(router, ['GET'], ENTITY, [...entityChecks, retrieve]);
  on(router, ['POST'], UPSERT, [...checks, upsert]);
  on(router, ['GET', 'HEAD'], RECORDED, [...checks, list]);
  on(router, ['GET', 'HEAD'], RECORDED_ENTITY, [...entityChecks, transactions]);
  return router;
}

/** A route for exactly these methods: the router by itself takes HEAD where it takes GET, and HEAD must not record. */
function on(router: EdgeRouter, methods: string[], path: string | RegExp, chain: EdgeMiddleware[]): void {
  router.register(path, methods, chain, { pathAsRegExp: path instanceof RegExp });
  router.stack.at(-1)!.methods = methods;
}

function clientOf(ctx: EdgeContext): string {
  return ctx.state.place.client.key;
}

function entityIdOf(ctx: EdgeContext): string {
  return ctx.params['entityId']!;
}

function nothingOf(tenant: string | undefined): string {
  const whose = tenant === undefined ? '' : ` of the tenant ${tenant}`;
  return `no transaction${whose} is recorded for this entity`;
}
