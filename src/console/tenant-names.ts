import { contextIn } from '../actors/behavior.js';
import { TENANT_NAME, type TenantNameContext } from '../policy/tenant/tenant-name.js';
import { addressOf, type Store, StoreUnavailable } from '../store/port.js';
import type { SessionView } from './shapes.js';

/** Names that are read from the store. */
const MOST = 1_000;

/**
 * Returns the names of tenants: `own`, those of the embedded identity, and those that tokens had, at most 1,000. Without a
 * store that answers: `own`.
 */
export async function tenantNames(
  store: Pick<Store, 'list'>,
  own: SessionView['tenants'],
): Promise<SessionView['tenants']> {
  const names = new Map(own.map(({ id, name }) => [id, name]));
  try {
    const { items } = await store.list({ kind: TENANT_NAME, limit: MOST });
    for (const item of items) {
      const { tenantId } = contextIn(item) as TenantNameContext;
      if (tenantId !== undefined && !names.has(tenantId)) names.set(tenantId, addressOf(item.id).tenant);
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
  return [...names].map(([id, name]) => ({ id, name }));
}
