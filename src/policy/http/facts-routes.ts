import { Refusal } from '../../errors.js';
import type { ReadBytes } from '../../http/body/body.js';
import { ownTenant } from '../../http/authentication.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import type { OnRefused, RefusedRequest } from '../../http/request-log.js';
import { pathIds } from './path-ids.js';
import { acceptJson } from '../../http/media-types.js';
import { type PathExpression, route, type Route } from '../../http/router.js';
import type { Policy } from '../policy.js';
import { equalSecrets } from '../../system/equal-secrets.js';
import type { IgnoredValues } from '../server/ignored-values.js';
import type { Tenants } from '../tenant/tenants.js';
import type { PolicyBodies } from './bodies.js';
import { factsTitle, factsByEntityTitle } from './facts-titles.js';
import { messageOf, refusedElements, refusedTitle } from './facts-by-entity-body.js';

/** Access to facts: for everybody, for callers with a token of the tenant, or for callers with a shared key. */
interface FactsAuth {
  readonly auth: 'open' | 'token' | 'key';
  /** Set if `auth` is `key`. */
  readonly key: string | undefined;
}

/** What the routes of facts need. */
export interface FactsOptions {
  readonly auth: FactsAuth;
  /** Checks the token of a request. */
  readonly authenticated: EdgeMiddleware;
  /** Reads the body of a request. */
  readonly body: ReadBytes;
  readonly bodies: PolicyBodies;
  /** Called with the number of evaluations that a request caused. */
  readonly onEvaluated: (evaluations: number) => void;
  /** Called if some elements of a request were refused, and others taken. */
  readonly onRefused: OnRefused;
  /** Called with the values that a request left out. */
  readonly onIgnored: (ignored: readonly IgnoredValues[]) => void;
}

/** A tenant as the first part of a path. The first parts of paths of other operations are not tenants. */
const TENANT = '(?!(?:v1\\.0|ngsi-ld|entity|ledger|operator)/)([^/]+)';

/** The path of operation 1 in the original, without `/v1.0`. */
const UNVERSIONED: PathExpression = {
  pattern: '/:tenantId/servers/:serverId',
  expression: new RegExp(`^/${TENANT}/servers/([^/]+)/?$`),
};

/** The path of facts by entity, without `/v1.0`. */
const UNVERSIONED_NOTIFY: PathExpression = {
  pattern: '/:tenantId/notify',
  expression: new RegExp(`^/${TENANT}/notify/?$`),
};

/** The paths of both operations, with and without `/v1.0`. */
const ANY_PATH = new RegExp(`^(?:/v1\\.0/([^/]+)|/${TENANT})/(?:servers/[^/]+|notify(?:\\.json)?)/?$`);

/**
 * Returns the tenant in the path of a request with measurements that was answered with a status; undefined for any other
 * request. A method that the path lacks is meant for measurements, too. Other methods have operations of their own.
 */
export function tenantOfFacts({ method, path, status }: RefusedRequest): string | undefined {
  if (method !== 'POST' && status !== METHOD_NOT_ALLOWED) return undefined;
  const [, versioned, unversioned] = ANY_PATH.exec(path) ?? [];
  const tenant = versioned ?? unversioned;
  try {
    return tenant && decoded(tenant);
  } catch {
    return tenant;
  }
}

const METHOD_NOT_ALLOWED = 405;

/** Names and decodes the captures of a regular expression. The router leaves them percent-encoded and without names. */
const namedCaptures: EdgeMiddleware = (ctx, next) => {
  const [tenantId = '', serverId] = ctx.captures ?? [];
  ctx.params = {
    tenantId: decoded(tenantId),
    ...(serverId === undefined ? {} : { serverId: decoded(serverId) }),
  };
  return next();
};

/** Calls `decodeURIComponent` only if it changes the text: most ids are plain, and the call costs five times the check. */
const decoded = (text: string): string => (text.includes('%') ? decodeURIComponent(text) : text);

/**
 * Operation 1 (policy §4) and facts by entity, each under both of its paths. Like the original they may be open to
 * everybody. They refuse unknown tenants before they read a body, so that strangers cannot fill the store.
 */
export function factsRoutes(policy: Policy, options: FactsOptions): readonly Route[] {
  const { body, bodies, auth } = options;
  const known = (ctx: EdgeContext): string | undefined | Promise<string | undefined> => {
    // A token names its tenant. The path may hold the id or the name of another tenant.
    return auth.auth === 'token' ? ctx.state.tenant : policy.tenants.resolve(tenantIdOf(ctx));
  };
  const admit = (ctx: EdgeContext, tenant: string | undefined): string => {
    if (tenant === undefined) {
      throw new Refusal(
        'not-found',
        `tenantId: no tenant ${tenantIdOf(ctx)} is known; a tenant is known from its first request with a valid token on`,
      );
    }
    ctx.state.tenant = tenant;
    // With open facts the tenant in the path proves nothing about the caller.
    ctx.state.permit.countForTenant(tenant, auth.auth !== 'open');
    return tenant;
  };
  const take: EdgeMiddleware = async (ctx) => {
    const { serverId } = ctx.params as { serverId: string };
    const tenant = admit(ctx, await known(ctx));
    const facts = await bodies.read('facts', await body(ctx), ctx.state.client);
    const reply = await policy.servers.facts(tenant, serverId, facts);
    if (reply.evaluated > 0) options.onEvaluated(reply.evaluated);
    if (reply.ignored !== undefined) options.onIgnored(reply.ignored);
    ctx.body = { id: reply.factId, title: factsTitle(reply, facts.measures.length) };
  };
  const notify: EdgeMiddleware = async (ctx) => {
    const tenant = admit(ctx, await known(ctx));
    const read = await bodies.read('factsByEntity', await body(ctx), ctx.state.client);
    const reply = await policy.factsByEntity.take(tenant, read.servers);
    const { facts, evaluated, fired, servers } = reply;
    if (evaluated > 0) options.onEvaluated(evaluated);
    for (const { ignored } of reply.ignored) options.onIgnored(ignored);
    const refused = refusedElements(read, reply);
    const title = factsByEntityTitle(reply) + refusedTitle(refused);
    const answer = { facts, firings: fired, servers, title };
    ctx.body = refused.count === 0 ? answer : { ...answer, refused: refused.listed };
    if (refused.count === 0) return;
    const message = `${refusedTitle(refused).slice(2)}: ${messageOf(refused)}`;
    options.onRefused({ method: ctx.method, path: ctx.state.path, status: 200, message, tenant });
  };
  const access = factsAccess(auth, options.authenticated, policy.tenants);
  const checks = [acceptJson, pathIds, ...access];
  return [
    route(['POST'], '/v1.0/:tenantId/servers/:serverId', ...checks, take),
    route(['POST'], UNVERSIONED, namedCaptures, ...checks, take),
    route(['POST'], '/v1.0/:tenantId/notify', ...checks, notify),
    route(['POST'], UNVERSIONED_NOTIFY, namedCaptures, ...checks, notify),
  ];
}

const tenantIdOf = (ctx: EdgeContext): string => (ctx.params as { tenantId: string }).tenantId;

/** Returns the checks of operation 1. `authenticated` checks the token of a request. */
function factsAccess(
  { auth, key }: FactsAuth,
  authenticated: EdgeMiddleware,
  tenants: Tenants,
): EdgeMiddleware[] {
  if (auth === 'token') return [authenticated, ownTenant, knownTenant(tenants)];
  return auth === 'key' ? [sharedKey(key!)] : [];
}

/** Records that a valid token of the tenant was seen: the tenant is known from then on. Follows `ownTenant`. */
export function knownTenant(tenants: Tenants): EdgeMiddleware {
  return async (ctx, next) => {
    await tenants.seen(ctx.state.principal.tenant);
    return next();
  };
}

function sharedKey(key: string): EdgeMiddleware {
  return (ctx, next) => {
    if (!equalSecrets(ctx.get('x-facts-key'), key)) {
      throw new Refusal('unauthorized', 'X-Facts-Key: missing or not valid');
    }
    return next();
  };
}
