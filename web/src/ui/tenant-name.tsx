import { pathTo, withQuery } from '../router.js';
import { isOperator, session } from '../session.js';
import { CopyButton } from './copy.js';
import { Link } from './link.js';
import type { Column } from './table.js';
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

/** The name of a tenant with the button that copies its id. */
export function CopiedTenant({ id }: { readonly id: string }) {
  return (
    <>
      <TenantName id={id} /> <CopyButton text={id} label="Tenant id" />
    </>
  );
}

/** The words ` of` and the name of a tenant, for operators: a tenant sees only what is its own. */
export function OfTenant({ id }: { readonly id: string }) {
  if (!isOperator.value) return null;
  return (
    <span class="quiet-text">
      {' '}
      of <TenantName id={id} />
    </span>
  );
}

interface TenantLinkProps {
  readonly id: string;
  /** The page with the list: `servers`. */
  readonly list: string;
  /** Other filters of that list. */
  readonly filters?: Readonly<Record<string, string>>;
}

/** The name of a tenant as a link to what a list has of it. */
export function TenantLink({ id, list, filters }: TenantLinkProps) {
  return (
    <Link to={withQuery(pathTo(list), { ...filters, tenant: id })} class="small-id">
      <TenantName id={id} />
    </Link>
  );
}

/** Returns the column with the tenant of each row for operators, and none for a tenant. `list`: the page with the list. */
export function tenantColumn<T>(list: string, idOf: (row: T) => string): readonly Column<T>[] {
  if (!isOperator.value) return [];
  return [{ head: 'Tenant', cell: (row) => <TenantLink id={idOf(row)} list={list} />, fit: true }];
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
