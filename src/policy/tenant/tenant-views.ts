import { ifReadable } from '../../actors/reading.js';
import type { TenantView } from './tenant-view.js';
import type { Tenants } from './tenants.js';

/** Stands for a tenant that this service cannot read: nothing is known of its rules and quiet times. */
export const UNREADABLE_TENANT: Pick<TenantView, 'rules' | 'quiet'> = { rules: [], quiet: [] };

/** Resolves with a tenant; undefined if this service cannot read it. */
export type ViewTenant = (tenantId: string) => Promise<TenantView | undefined>;

/** Makes the reading of tenants for one answer: each of them is read once. */
export function tenantViews(tenants: Pick<Tenants, 'view'>): ViewTenant {
  const views = new Map<string, ReturnType<ViewTenant>>();
  return (tenantId) => {
    const view = views.get(tenantId) ?? ifReadable(Promise.resolve(tenants.view(tenantId)));
    views.set(tenantId, view);
    return view;
  };
}
