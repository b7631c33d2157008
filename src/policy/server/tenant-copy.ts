import type { ActorEvent } from '../../actors/kind.js';
import { Refusal } from '../../errors.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { reconciled } from './reconcile.js';
import type { Change, ServerContext, TenantCopy } from './server-context.js';

// Events of a server carry a copy of its tenant. The copy is of another actor, so it may be old when the server decides: a
// node may trust it for half a second, and an event may wait. A server never goes back to an older copy than one that it has
// seen. The sender reads the tenant again then.

/** The refusal of an event whose copy of the tenant is older than one that the server has seen. Nothing changes. */
class OldCopy extends Refusal {
  constructor() {
    super('unavailable', 'the rules of the tenant are changing; nothing was done, try again in a second');
  }
}

/** Returns the decision that compares the subscriptions with their rules first, if the copy is newer than any before. */
export function onTenantCopy<E extends ActorEvent & TenantCopy>(
  decide: (context: ServerContext, event: E) => Change,
) {
  return (context: ServerContext, event: E): Change => {
    const { version } = event.tenant;
    const seen = context.tenantVersion ?? 0;
    if (version === seen) return decide(context, event);
    if (version < seen && event.restored !== true) throw new OldCopy();
    const change = { ...reconciled(context, event), tenantVersion: version };
    return { ...change, ...decide({ ...context, ...change }, event) };
  };
}

/** Reads a tenant for the events of its servers. */
export interface TenantCopies {
  /** Returns the tenant, at once if this node holds a fresh copy. */
  view(tenantId: string): TenantView | Promise<TenantView>;
  /** Returns the tenant with all that was committed before the call. */
  committed(tenantId: string): Promise<TenantView>;
}

/** Reads of the tenant before an older version than the server has seen is taken for that of a restored database. */
const TRIES = 5;

/** Sends an event with a copy of the tenant. Sends it again with a newer copy if the server has seen a later one. */
export async function askWithTenant<R>(
  copies: TenantCopies,
  tenantId: string,
  send: (copy: TenantCopy) => Promise<R>,
): Promise<R> {
  for (let tries = 0; ; tries += 1) {
    const tenant = await (tries === 0 ? copies.view(tenantId) : copies.committed(tenantId));
    try {
      return await send({ tenant, restored: tries === TRIES });
    } catch (error) {
      if (!(error instanceof OldCopy)) throw error;
    }
  }
}
