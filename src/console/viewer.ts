import type { OperatorAccess } from '../operator/guard.js';
import type { EdgeContext, EdgeMiddleware, EdgeState } from '../http/context.js';
import { sessionPrincipal, tokenOf, verifiedPrincipal } from '../http/authentication.js';
import { holderOf } from '../http/session.js';
import { Refusal } from '../errors.js';
import type { Identity, Principal } from '../identity/port.js';
import { isObject } from '../untrusted/json.js';

/** The user of the console. */
export type Viewer = EdgeState['viewer'];

/** Finds the viewer of a request; see `viewers`. */
export type FindViewer = (ctx: EdgeContext) => Promise<Viewer>;

/**
 * Makes the function that returns the viewer of a request: the holder of a token in a header, else of its session. Without
 * `operatorToken` (OPERATOR_TOKEN) a local request without either is an operator's. It throws `Refusal`: `unauthorized`,
 * `forbidden`; and the errors of `identity.verify`.
 */
export function viewers(options: {
  readonly identity: Identity;
  readonly operatorToken: string | undefined;
  readonly operators: OperatorAccess;
  /** Called for each request of a tenant: its first one makes it known. */
  readonly seen: (tenant: { readonly id: string; readonly name: string }) => Promise<void>;
}): FindViewer {
  const { identity, operatorToken, operators, seen } = options;

  const tenantViewer = async ({ tenant, user }: Principal): Promise<Viewer> => {
    await seen(tenant);
    return { kind: 'tenant', tenantId: tenant.id, tenantName: tenant.name, user };
  };

  return async ({ req, state }) => {
    const { headers, socket } = req;
    const { authorization = '' } = headers;
    const requester = { headers, remoteAddress: socket.remoteAddress, client: state.client };
    if (operators.bearerOf(authorization) !== undefined || (headers['x-operator-token'] ?? '') !== '') {
      operators.guard(requester);
      return { kind: 'operator' };
    }
    try {
      const token = tokenOf(req);
      if (token !== undefined) return await tenantViewer(await verifiedPrincipal(identity, token));
    } catch (error) {
      // Also of a token beside another one.
      operators.countGuess(authorization, state.client);
      throw error;
    }
    const { session } = state;
    if (session !== undefined) {
      const holder = holderOf(session);
      return holder.kind === 'operator' ? holder : tenantViewer(await sessionPrincipal(identity, session));
    }
    if (operatorToken !== undefined) {
      throw new Refusal('unauthorized', 'the console needs a session: log in at /console/login');
    }
    operators.guard(requester);
    return { kind: 'operator' };
  };
}

/** Returns true for an error of `FindViewer` that a login mends. Others say nothing about the viewer. */
export function needsLogin(error: unknown): boolean {
  return error instanceof Refusal && ['unauthorized', 'forbidden'].includes(error.code);
}

/**
 * Makes the check that sets `ctx.state.viewer`. It counts the request for a tenant, and the characters of its answer until
 * they are read, as the policy API does: a view of a server may have millions. It throws the errors of `find`, and
 * `Refusal('unavailable')` if too much is held.
 */
export function viewer(find: FindViewer): EdgeMiddleware {
  return async (ctx, next) => {
    const found = await find(ctx);
    ctx.state.viewer = found;
    if (found.kind === 'tenant') ctx.state.permit.countForTenant(found.tenantId, true);
    await next();
    countAnswer(ctx);
  };
}

/** Makes an object that is the answer of a GET its JSON, and counts it. */
function countAnswer(ctx: EdgeContext): void {
  const { body, method, state } = ctx;
  if (method !== 'GET' || !isObject(body)) return;
  const text = JSON.stringify(body);
  state.permit.reserveAnswer(text.length);
  ctx.body = text;
  ctx.type = 'json';
}

/** Checks that the viewer is an operator. Follows `viewer`. Throws `Refusal('forbidden')`. */
export const operatorOnly: EdgeMiddleware = ({ state }, next) => {
  if (state.viewer.kind === 'operator') return next();
  throw new Refusal('forbidden', 'this part of the console is for operators: log in with OPERATOR_TOKEN');
};

/**
 * Returns the id of the tenant that a listing is limited to: a tenant's own, whatever is asked; for an operator `asked`,
 * undefined for all tenants.
 */
export function tenantOf(viewer: Viewer, asked: string | undefined): string | undefined {
  return viewer.kind === 'tenant' ? viewer.tenantId : asked;
}
