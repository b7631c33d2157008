import { ifReadable } from '../../actors/reading.js';
import { Refusal } from '../../errors.js';
import type { TenantView } from './tenant-view.js';
import type { Tenants } from './tenants.js';

/** Stands for a tenant that this service cannot read: nothing is known of its rules and quiet times. */
export const UNREADABLE_TENANT: Pick<TenantView, 'rules' | 'quiet'> = { rules: [], quiet: [] };

/** Resolves with a tenant; undefined if this service cannot read it, or it is deleted. */
export type ViewTenant = (tenantId: string) => Promise<TenantView | undefined>;

/** Resolves with undefined for a tenant that is deleted while its servers are listed. */
async function ifThere(tenant: Promise<TenantView | undefined>): Promise<TenantView | undefined> {
  try {
    return await tenant;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not-found') return undefined;
    throw error;
  }
}

/** Makes the reading of tenants for one answer: each of them is read once. */
export function tenantViews(tenants: Pick<Tenants, 'view'>): ViewTenant {
  const views = new Map<string, ReturnType<ViewTenant>>();
  const asked = async (tenantId: string): Promise<TenantView> => tenants.view(tenantId);
  return (tenantId) => {
    const view = views.get(tenantId) ?? ifThere(ifReadable(asked(tenantId)));
    views.set(tenantId, view);
    return view;
  };
}
