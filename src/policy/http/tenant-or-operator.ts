import { Refusal } from '../../errors.js';
import { countForTenant, ownTenant, tokenOf } from '../../http/authentication.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { holderOf } from '../../http/session.js';
import type { Tenants } from '../tenant/tenants.js';
import { knownTenant, noSuchTenant } from './facts-routes.js';

/** The name of an operator, where a user's name is recorded. */
const OPERATOR = 'operator';

const pass = (): Promise<void> => Promise.resolve();

/**
 * Makes the check of paths that tenants use for what is theirs, and operators for every tenant. Sets `ctx.state.tenant` and
 * `ctx.state.user`. A wrong token is refused as a tenant's. `check` throws `Refusal` for a wrong token of operators, and after
 * too many of them.
 */
export function tenantOrOperator(options: {
  readonly authenticated: EdgeMiddleware;
  readonly tenants: Tenants;
  readonly check: (shown: string, client: string) => void;
}): EdgeMiddleware {
  const { authenticated, tenants, check } = options;
  const known = knownTenant(tenants);

  const asTenant = async (ctx: EdgeContext): Promise<void> => {
    await authenticated(ctx, pass);
    await ownTenant(ctx, pass);
    await countForTenant(ctx, pass);
    await known(ctx, pass);
    const { user, tenant } = ctx.state.principal;
    ctx.state.user = user ?? tenant.name;
  };

  const asOperator = async (ctx: EdgeContext): Promise<void> => {
    const asked = ctx.params['tenantId'] ?? '';
    const tenant = await tenants.resolve(asked);
    if (tenant === undefined) throw noSuchTenant(asked);
    ctx.state.tenant = tenant;
    ctx.state.user = OPERATOR;
  };

  /** True if the request shows a right token of operators. Throws `Refusal` for a wrong one in their own header. */
  const isOperator = (ctx: EdgeContext): boolean => {
    const { session, client } = ctx.state;
    if (session !== undefined) return holderOf(session).kind === 'operator';
    const own = ctx.get('x-operator-token');
    if (own === '') return false;
    check(own, client);
    return true;
  };

  return async (ctx, next) => {
    if (isOperator(ctx)) await asOperator(ctx);
    else {
      try {
        await asTenant(ctx);
      } catch (error) {
        // `Authorization: Bearer` may hold the token of a tenant or of operators.
        const shown = ctx.get('authorization') === '' ? undefined : tokenOf(ctx.req);
        if (!(error instanceof Refusal && error.code === 'unauthorized') || shown === undefined) throw error;
        try {
          check(shown, ctx.state.client);
        } catch (wrong) {
          throw wrong instanceof Refusal && wrong.code === 'too-many-requests' ? wrong : error;
        }
        await asOperator(ctx);
      }
    }
    return next();
  };
}
