import { Refusal } from '../../errors.js';
import type { ReadBytes } from '../../http/body/body.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { pathIds } from './path-ids.js';
import { acceptJson } from '../../http/media-types.js';
import { route } from '../../http/router.js';
import type { PathExpression, Route } from '../../http/router.js';
import type { Policy } from '../policy.js';
import { factsAccess } from './access.js';
import type { FactsAuth } from './access.js';
import type { PolicyBodies } from './bodies.js';

export interface FactsOptions {
  readonly auth: FactsAuth;
  /** Checks the token of a request. */
  readonly authenticated: EdgeMiddleware;
  /** Reads the body of a request. */
  readonly body: ReadBytes;
  readonly bodies: PolicyBodies;
  /** Called with the number of evaluations that a request caused. */
  readonly onEvaluated: (evaluations: number) => void;
}

/**
 * The path of operation 1 in the original, without `/v1.0`. It must not match the paths of other operations such as
 * `/v1.0/servers/…`, of the ledger or of operators.
 */
const UNVERSIONED: PathExpression = {
  pattern: '/:tenantId/servers/:serverId',
  expression: /^\/(?!(?:v1\.0|ngsi-ld|entity|ledger|operator)\/)([^/]+)\/servers\/([^/]+)\/?$/,
};

/** Names and decodes the captures of a regular expression. The router leaves them percent-encoded and without names. */
const namedCaptures: EdgeMiddleware = (ctx, next) => {
  const [tenantId = '', serverId = ''] = ctx.captures ?? [];
  ctx.params = { tenantId: decoded(tenantId), serverId: decoded(serverId) };
  return next();
};

/** Calls `decodeURIComponent` only if it changes the text: most ids are plain, and the call costs five times the check. */
const decoded = (text: string): string => (text.includes('%') ? decodeURIComponent(text) : text);

/**
 * Operation 1 (policy §4) under both of its paths. Like the original it may be open to everybody. It refuses unknown
 * tenants before it reads a body, so that strangers cannot fill the store.
 */
export function factsRoutes(policy: Policy, options: FactsOptions): readonly Route[] {
  const { body, bodies, auth } = options;
  const take: EdgeMiddleware = async (ctx) => {
    const { tenantId, serverId } = ctx.params as { tenantId: string; serverId: string };
    // A token names its tenant. The path may hold the id or the name of another tenant.
    const known = auth.auth === 'token' ? ctx.state.tenant : policy.tenants.resolve(tenantId);
    const tenant = known instanceof Promise ? await known : known;
    if (tenant === undefined) {
      throw new Refusal(
        'not-found',
        `tenantId: no tenant ${tenantId} is known; a tenant is known from its first request with a valid token on`,
      );
    }
    // With open facts the tenant in the path proves nothing about the caller.
    ctx.state.permit.countForTenant(tenant, auth.auth !== 'open');
    const read = bodies.read('facts', await body(ctx), ctx.state.client);
    const facts = read instanceof Promise ? await read : read;
    const { factId, counted, evaluated, fired } = await policy.servers.facts(tenant, serverId, facts);
    if (evaluated > 0) options.onEvaluated(evaluated);
    ctx.body = { id: factId, title: titleOf(facts.measures.length, counted, fired) };
  };
  const access = factsAccess(auth, options.authenticated, policy.tenants);
  const chain = [acceptJson, pathIds, ...access, take];
  return [
    route(['POST'], '/v1.0/:tenantId/servers/:serverId', ...chain),
    route(['POST'], UNVERSIONED, namedCaptures, ...chain),
  ];
}

function titleOf(elements: number, counted: boolean, fired: number): string {
  if (!counted) return 'not counted: another subscription of this server feeds its windows';
  const facts = elements === 1 ? '1 fact' : `${elements} facts`;
  return fired === 0 ? `${facts} taken` : `${facts} taken, ${fired} ${fired === 1 ? 'firing' : 'firings'}`;
}
