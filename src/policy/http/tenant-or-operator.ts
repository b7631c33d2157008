import { Refusal } from '../../errors.js';
import { countForTenant, ownTenant } from '../../http/authentication.js';
import { operatorName } from '../../http/author.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import type { Guard } from '../../http/route-groups.js';
import { holderOf } from '../../http/session.js';
import { type Tenants, unknownTenant } from '../tenant/tenants.js';
import { knownTenant } from './facts-access.js';

/** Errors of requests with a bearer token that is not a tenant's: of a wrong one, and of one beside another token. */
const MAY_BE_GUESS: ReadonlySet<string> = new Set(['unauthorized', 'bad-request']);

/** How operators are told from tenants, and let in. */
export interface OperatorChecks {
  /** Lets operators in as on their own paths. */
  readonly guard: Guard;
  /** Returns the operators' token in `Authorization: Bearer`; undefined if another one, or none, is there. Counts no guess. */
  readonly bearerOf: (authorization: string) => string | undefined;
  /** Counts a bearer token that is not a tenant's as a guess. Throws `Refusal('too-many-requests')`. */
  readonly countGuess: (authorization: string, client: string) => void;
}

/** Sets the tenant in the path, and the operator as the user. Throws `Refusal('not-found')` for an unknown tenant. */
async function setOperator(ctx: EdgeContext, tenants: Pick<Tenants, 'find'>): Promise<void> {
  const asked = ctx.params['tenantId'] ?? '';
  const tenant = await tenants.find(asked);
  if (tenant === undefined) throw unknownTenant(asked);
  ctx.state.tenant = tenant;
  ctx.state.user = operatorName(ctx.state.session);
  ctx.state.isOperator = true;
}

/** Makes the check of paths of operators for one tenant, below their route group: see `setOperator`. */
export function operatorForTenant(tenants: Pick<Tenants, 'find'>): EdgeMiddleware {
  return async (ctx, next) => {
    await setOperator(ctx, tenants);
    return next();
  };
}

const pass = (): Promise<void> => Promise.resolve();

/**
 * Makes the check of paths that tenants use for what is theirs, and operators for every tenant. Sets `ctx.state.tenant`,
 * `ctx.state.user` and `ctx.state.isOperator`. A request with `X-Operator-Token`, with the operators' token in
 * `Authorization: Bearer`, or with an operator's session is an operator's: `guard` lets it in. All others are tenants'.
 */
export function tenantOrOperator(options: {
  readonly authenticated: EdgeMiddleware;
  readonly tenants: Tenants;
  readonly operators: OperatorChecks;
}): EdgeMiddleware {
  const { authenticated, tenants, operators } = options;
  const known = knownTenant(tenants);

  const asTenant = async (ctx: EdgeContext): Promise<void> => {
    await authenticated(ctx, pass);
    await ownTenant(ctx, pass);
    await countForTenant(ctx, pass);
    await known(ctx, pass);
    const { user, tenant } = ctx.state.principal;
    ctx.state.user = user ?? tenant.name;
    ctx.state.isOperator = false;
  };

  const asOperator = async (ctx: EdgeContext): Promise<void> => {
    // What one operator sees is for no other reader of a cache.
    ctx.set('Cache-Control', 'no-store');
    await setOperator(ctx, tenants);
  };

  /** True if an operator asks. Throws `Refusal` for a wrong token in the operators' own header, and after too many. */
  const isOperator = ({ req, state }: EdgeContext): boolean => {
    const { headers, socket } = req;
    const { session, client } = state;
    if (session !== undefined) return holderOf(session).kind === 'operator';
    const shown = operators.bearerOf(headers.authorization ?? '') ?? headers['x-operator-token'] ?? '';
    if (shown === '') return false;
    operators.guard({ headers, remoteAddress: socket.remoteAddress, client, session });
    return true;
  };

  return async (ctx, next) => {
    if (isOperator(ctx)) {
      await asOperator(ctx);
      return next();
    }
    try {
      await asTenant(ctx);
    } catch (error) {
      if (error instanceof Refusal && MAY_BE_GUESS.has(error.code))
        operators.countGuess(ctx.get('authorization'), ctx.state.client);
      throw error;
    }
    return next();
  };
}
