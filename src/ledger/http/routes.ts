import { Refusal } from '../../errors.js';
import type { RouteGroup } from '../../http/route-groups.js';
import { type BodyOptions, jsonBytes } from '../../http/body/body.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { acceptJsonOrLd, type JsonType } from '../../http/media-types.js';
import { ANY_METHOD, READ, type Route, route } from '../../http/router.js';
import { problemErrors } from '../../http/failures/error-formats.js';
import type { BodyOperations } from '../content/body-operations.js';
import { queryOperation, retrieveOperation } from '../content/operations.js';
import { callerChecks, relatedEntity, tenantOf } from './headers.js';
import { answer, streamOf } from './answer.js';
import {
  ATTRIBUTES,
  ENTITIES,
  ENTITY,
  entityIdInPath,
  ENTITY_LIST,
  TRANSACTION_LIST,
  UPSERT,
} from './paths.js';
import { batchNameOf, pageOfEntities, pageOfTransactions, queryOf } from './query.js';
import { recordingHandlers, type RecordingOptions } from './recording-handlers.js';

export interface LedgerRoutesOptions extends RecordingOptions {
  readonly operations: BodyOperations;
  readonly bodies: LedgerBodies;
  /** Checks the token of a request (LEDGER_AUTH=token); undefined without that check. */
  readonly authenticated: EdgeMiddleware | undefined;
}

/** Reads the bodies of the ledger. Throws `Refusal`: `unsupported-media-type` unless it is JSON or JSON-LD. */
export type LedgerBodies = ReturnType<typeof ledgerBodies>;

/** `bodyLimit` (BODY_LIMIT) and `batchLimit` (BATCH_LIMIT): bytes after inflating. */
export function ledgerBodies(limits: { readonly bodyLimit: number; readonly batchLimit: number }) {
  const types: readonly JsonType[] = ['application/json', 'application/ld+json'];
  const common: Omit<BodyOptions, 'limit'> = { types, wrongType: 'unsupported-media-type' };
  const { bodyLimit, batchLimit } = limits;
  return {
    /** An entity or a fragment: the bytes, inflated. */
    entity: jsonBytes({ ...common, limit: bodyLimit }),
    /** A fragment in a PATCH, which `application/merge-patch+json` names too (NGSI-LD 6.3.4). */
    patch: jsonBytes({ ...common, types: [...types, 'application/merge-patch+json'], limit: bodyLimit }),
    /** A batch or a claim: the bytes, inflated. */
    batch: jsonBytes({ ...common, limit: batchLimit }),
  };
}

/** The route groups of the ledger: ids may end in `.json`, and errors are problems (RFC 9457). */
export const ledgerGroups: readonly RouteGroup[] = ['/ngsi-ld', '/entity', '/ledger'].map((prefix) => ({
  prefix,
  errors: problemErrors,
  literalPaths: true,
  // L2 and L4.
  getsRecord: prefix === '/ngsi-ld',
}));

/** Returns the routes of a service without a ledger: 404 with the reason for every path of the ledger. */
export function withoutLedger(): readonly Route[] {
  const paths = ledgerGroups.flatMap(({ prefix }) => [prefix, `${prefix}/*below`]);
  const refuse: EdgeMiddleware = () => {
    throw new Refusal(
      'not-found',
      'this service has no ledger: LEDGER is off, or NODE_ENV is production and CHAIN_RPC_URL is not set',
    );
  };
  return paths.map((path) => route(ANY_METHOD, path, refuse));
}

/** Returns the routes of the seven operations (ledger §4): each handler checks, calls the ledger and answers. */
export function ledgerRoutes(options: LedgerRoutesOptions): readonly Route[] {
  const { ledger, operations, bodies, authenticated } = options;
  const callers = callerChecks(authenticated);
  const checks = [acceptJsonOrLd, ...callers];
  const entityChecks = [acceptJsonOrLd, entityIdInPath, ...callers];
  const recording = recordingHandlers(options);

  const create = recording(async (ctx, common) => ({
    operation: await operations.of({
      name: 'create',
      bytes: await bodies.entity(ctx),
      common,
      client: ctx.state.client,
    }),
  }));
  const query = recording((ctx, common) => {
    const related = relatedEntity(ctx.req.headersDistinct);
    const operation = queryOperation(queryOf(ctx.querystring), related, common);
    return { operation, relatedEntity: related };
  });
  const update = recording(async (ctx, common) => {
    const entityId = entityIdOf(ctx);
    const bytes = await (ctx.method === 'PATCH' ? bodies.patch : bodies.entity)(ctx);
    return {
      operation: await operations.of({ name: 'update', entityId, bytes, common, client: ctx.state.client }),
      entityId,
    };
  });
  const retrieve = recording((ctx, common) => {
    const entityId = entityIdOf(ctx);
    return { operation: retrieveOperation(entityId, queryOf(ctx.querystring), common), entityId };
  });
  const upsert = recording(async (ctx, common) => {
    const name = batchNameOf(queryOf(ctx.querystring));
    return {
      operation: await operations.of({
        name,
        bytes: await bodies.batch(ctx),
        common,
        client: ctx.state.client,
      }),
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

  return [
    route(['POST'], ENTITIES, ...checks, create),
    // No HEAD: L2 and L4 record.
    route(['GET'], ENTITIES, ...checks, query),
    route(['GET'], ENTITY, ...entityChecks, retrieve),
    // Brokers take both methods, and clients of CanisMajor use either.
    route(['POST', 'PATCH'], ATTRIBUTES, ...entityChecks, update),
    route(['POST'], UPSERT, ...checks, upsert),
    route(READ, ENTITY_LIST, ...checks, list),
    route(READ, TRANSACTION_LIST, ...entityChecks, transactions),
  ];
}

function entityIdOf(ctx: EdgeContext): string {
  return ctx.params['entityId']!;
}

function nothingOf(tenant: string | undefined): string {
  const whose = tenant === undefined ? '' : ` of the tenant ${tenant}`;
  return `no transaction${whose} is recorded for this entity`;
}
