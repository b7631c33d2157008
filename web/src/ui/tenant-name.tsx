import { session } from '../session.js';
import { Id, ShortId } from './text.js';

/** The name of a tenant where the service knows it, otherwise its id, shortened. The whole id is in the title. */
export function TenantName({ id }: { readonly id: string }) {
  const name = nameOfTenant(id);
  if (name === undefined) return <ShortId text={id} />;
  return (
    <span title={id}>
      <Id text={name} plain />
    </span>
  );
}

/** Returns the name of a tenant, undefined if the service does not know it. */
export function nameOfTenant(id: string): string | undefined {
  const { viewer, tenants = [] } = session.value ?? {};
  if (viewer?.kind === 'tenant' && viewer.tenantId === id) return viewer.tenantName;
  return tenants.find((tenant) => tenant.id === id)?.name;
}

/** Returns the id of the tenant with a name, undefined if the service does not know it. */
export function idOfTenant(name: string): string | undefined {
  return session.value?.tenants.find((tenant) => tenant.name === name)?.id;
}
