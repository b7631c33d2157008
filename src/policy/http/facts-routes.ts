import { Refusal } from '../../errors.js';
import type { ReadBytes } from '../../http/body/body.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import type { OnRefused, RefusedRequest } from '../../http/request-log.js';
import { pathIds } from './path-ids.js';
import { acceptJson } from '../../http/media-types.js';
import { route } from '../../http/router.js';
import type { PathExpression, Route } from '../../http/router.js';
import type { Policy } from '../policy.js';
import { factsAccess } from './access.js';
import type { FactsAuth } from './access.js';
import type { PolicyBodies } from './bodies.js';
import { messageOf } from './notification.js';
import { refusedElements, refusedTitle } from './notification-refusals.js';

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
}

/** A tenant as the first part of a path. The first parts of paths of other operations are no tenants. */
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
    const found = known(ctx);
    const tenant = admit(ctx, found instanceof Promise ? await found : found);
    const read = bodies.read('facts', await body(ctx), ctx.state.client);
    const facts = read instanceof Promise ? await read : read;
    const {
      factId,
      counted,
      repeated = 0,
      evaluated,
      fired,
    } = await policy.servers.facts(tenant, serverId, facts);
    if (evaluated > 0) options.onEvaluated(evaluated);
    ctx.body = { id: factId, title: titleOf(facts.measures.length, repeated, counted, fired) };
  };
  const notify: EdgeMiddleware = async (ctx) => {
    const tenant = admit(ctx, await known(ctx));
    const notification = await bodies.read('notification', await body(ctx), ctx.state.client);
    const reply = await policy.notifications.take(tenant, notification.servers);
    const { facts, evaluated, fired, servers } = reply;
    if (evaluated > 0) options.onEvaluated(evaluated);
    const refused = refusedElements(notification, reply);
    const title =
      notificationTitle(notification.servers.length, facts, servers, fired) + refusedTitle(refused);
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

const NOTHING_MEASURED = 'nothing to count: no element has a value';

function titleOf(elements: number, repeated: number, counted: boolean, fired: number): string {
  if (elements === 0) return NOTHING_MEASURED;
  if (elements === repeated) return 'nothing new: every value was counted before';
  if (!counted) return 'not counted: another subscription of this server feeds its windows';
  return `${several(elements - repeated, 'fact')} taken${firings(fired)}`;
}

function notificationTitle(named: number, facts: number, servers: number, fired: number): string {
  if (named === 0) return NOTHING_MEASURED;
  if (facts === 0) {
    return 'nothing counted: every value was counted before, or other subscriptions feed these servers';
  }
  return `${several(facts, 'fact')} of ${several(servers, 'server')} taken${firings(fired)}`;
}

function firings(fired: number): string {
  return fired === 0 ? '' : `, ${several(fired, 'firing')}`;
}

function several(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
