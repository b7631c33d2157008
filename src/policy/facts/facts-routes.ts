import { Refusal } from '../../errors.js';
import type { ReadBytes } from '../../http/body/body.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { type Route, route } from '../../http/router.js';
import { pathIds } from '../../http/ids.js';
import { acceptJson } from '../../http/negotiate.js';
import { ownTenant } from '../../http/tokens.js';
import { equalSecrets } from '../../system/equal-secrets.js';
import type { PolicyBodies } from '../http/bodies.js';
import { knownTenant } from '../tenant/known-tenant.js';
import type { Policy } from '../policy.js';

/** Who may send measurements: everybody, who has a token of the tenant, or who shares a key. */
export interface FactsAuth {
  readonly auth: 'open' | 'token' | 'key';
  /** Always given where `auth` is `key`. */
  readonly key: string | undefined;
}

export interface FactsOptions {
  readonly auth: FactsAuth;
  /** Checks the token of a request. */
  readonly authenticated: EdgeMiddleware;
  /** Reads the body of a request. */
  readonly body: ReadBytes;
  readonly bodies: PolicyBodies;
}

/** Operation 1's own path, which must not take paths of the other operations, as `/v1.0/servers/…`, of the ledger or of the operators. */
const UNVERSIONED = /^\/(?!(?:v1\.0|ngsi-ld|entity|ledger|operator)\/)([^/]+)\/servers\/([^/]+)\/?$/;

/** The router gives the parts of a path that an expression captures as they are, percent-encoded and without names. */
const idsCaptured: EdgeMiddleware = (ctx, next) => {
  const [tenantId = '', serverId = ''] = ctx.captures ?? [];
  Object.assign(ctx.params, {
    tenantId: decodeURIComponent(tenantId),
    serverId: decodeURIComponent(serverId),
  });
  return next();
};

/**
 * Operation 1 (policy §4), under its own path and under that of the other operations. Open as in the original, it
 * refuses tenants that nobody has ever shown a token of before it reads a body, so that strangers fill nothing.
 */
export function factsRoutes(policy: Policy, options: FactsOptions): readonly Route[] {
  const { body, bodies, auth } = options;
  const take: EdgeMiddleware = async (ctx) => {
    const { tenantId, serverId } = ctx.params as { tenantId: string; serverId: string };
    // A token has said whose it is; what the path says could be another's id or name as well.
    const known = auth.auth === 'token' ? ctx.state.tenant : policy.tenants.resolve(tenantId);
    const tenant = known instanceof Promise ? await known : known;
    if (tenant === undefined) {
      throw new Refusal(
        'not-found',
        `tenantId: no tenant ${tenantId} is known; a tenant is known from its first request with a valid token on`,
      );
    }
    // Anybody can name a tenant where facts are open.
    ctx.state.place.nameTenant(tenant, auth.auth !== 'open');
    const read = bodies.read('facts', await body(ctx), ctx.state.place.client.key);
    const facts = read instanceof Promise ? await read : read;
    const { factId, counted, fired } = await policy.servers.facts(tenant, serverId, facts);
    ctx.body = { id: factId, title: titleOf(facts.measures.length, counted, fired) };
  };
  const chain = [acceptJson, pathIds, ...admission(options, policy), take];
  return [
    route(['POST'], '/v1.0/:tenantId/servers/:serverId', ...chain),
    route(['POST'], UNVERSIONED, idsCaptured, ...chain),
  ];
}

function admission({ auth, authenticated }: FactsOptions, policy: Policy): EdgeMiddleware[] {
  if (auth.auth === 'token') return [authenticated, ownTenant, knownTenant(policy.tenants)];
  return auth.auth === 'key' ? [sharedKey(auth.key!)] : [];
}

function titleOf(elements: number, counted: boolean, fired: number): string {
  if (!counted) return 'not counted: another subscription of this server feeds its windows';
  const facts = elements === 1 ? '1 fact' : `${elements} facts`;
  return fired === 0 ? `${facts} taken` : `${facts} taken, ${fired} ${fired === 1 ? 'firing' : 'firings'}`;
}

function sharedKey(key: string): EdgeMiddleware {
  return (ctx, next) => {
    if (!equalSecrets(ctx.get('x-facts-key'), key)) {
      throw new Refusal('unauthorized', 'X-Facts-Key: missing or not valid');
    }
    return next();
  };
}
