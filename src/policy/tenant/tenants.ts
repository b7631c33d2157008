import type { Actors } from '../../actors/runtime.js';
import { Refusal } from '../../errors.js';
import type { Address } from '../../store/port.js';
import { TENANT, TENANT_NAME } from '../kinds.js';
import type { TenantContext, TenantEvent } from './tenant-machine.js';
import type { TenantNameContext, TenantNameEvent } from './tenant-name-machine.js';

/** The tenants that the service knows. */
export interface Tenants {
  /** A valid token has shown the tenant: from now on, on every node and for good, it is known by id and by name. */
  seen(tenant: { readonly id: string; readonly name: string }): Promise<void>;
  /** The id of the tenant that an id or a name stands for; undefined where none is known. */
  resolve(idOrName: string): string | undefined | Promise<string | undefined>;
  /** What the tenant decides for its servers; at once where this node knows it freshly enough. */
  view(tenantId: string): TenantContext | Promise<TenantContext>;
  /** Operation 3; on every server of the tenant at once. */
  resize(tenantId: string, size: number): Promise<void>;
  ask<R>(tenantId: string, event: TenantEvent): Promise<R>;
  read(tenantId: string): Promise<TenantContext>;
}

/** Most tenants, and names, that are remembered in memory. */
const REMEMBERED = 10_000;
/** For how long a name is believed to be no tenant's id, ms. */
const NAME_MS = 500;

/** What an actor's address can hold as its tenant: printable ASCII without the slash. */
const USABLE = /^[!-.0-~]{1,256}$/;

const addressOfTenant = (tenantId: string): Address => ({ kind: TENANT, tenant: tenantId, name: 'tenant' });
const addressOfName = (name: string): Address => ({ kind: TENANT_NAME, tenant: name, name: 'name' });

/** Makes the tenants on a runtime. */
export function createTenants(actors: Actors, now: () => number): Tenants {
  // What is known stays known. A name is asked for again and again: a tenant may turn up that bears it as its id.
  const seen = new Set<string>();
  const known = new Set<string>();
  const names = new Map<string, { readonly tenantId: string; readonly until: number }>();

  const nameOf = (name: string): string | undefined => {
    const bound = names.get(name);
    return bound !== undefined && now() < bound.until ? bound.tenantId : undefined;
  };

  const find = async (idOrName: string): Promise<string | undefined> => {
    if ((await actors.read(addressOfTenant(idOrName))) !== undefined) {
      remember(known).add(idOrName);
      return idOrName;
    }
    const name = await actors.read<TenantNameContext>(addressOfName(idOrName));
    const tenantId = name?.context.tenantId;
    if (tenantId !== undefined) remember(names).set(idOrName, { tenantId, until: now() + NAME_MS });
    return tenantId;
  };

  const context = async (tenantId: string): Promise<TenantContext> => {
    const view = await actors.read<TenantContext>(addressOfTenant(tenantId));
    if (view === undefined) throw new Error(`tenant ${tenantId} is not known`);
    return view.context;
  };

  return {
    async seen({ id, name }) {
      if (!USABLE.test(id))
        throw new Refusal('forbidden', 'the id of the tenant of the token cannot be used here');
      const key = `${id}/${name}`;
      if (seen.has(key)) return;
      const event: TenantEvent = { type: 'seen', now: now(), name };
      const bind: TenantNameEvent = { type: 'bind', now: now(), tenantId: id };
      await Promise.all([
        actors.ask(addressOfTenant(id), event),
        name === id || !USABLE.test(name) ? undefined : actors.ask(addressOfName(name), bind),
      ]);
      remember(known).add(id);
      remember(seen).add(key);
    },
    resolve: (idOrName) => (known.has(idOrName) ? idOrName : (nameOf(idOrName) ?? find(idOrName))),
    view: (tenantId) => actors.peek<TenantContext>(addressOfTenant(tenantId))?.context ?? context(tenantId),
    resize: (tenantId, size) =>
      actors.ask(addressOfTenant(tenantId), { type: 'resize', now: now(), size } as TenantEvent),
    ask: (tenantId, event) => actors.ask(addressOfTenant(tenantId), event),
    read: context,
  };
}

function remember<C extends { readonly size: number; clear(): void }>(memory: C): C {
  if (memory.size >= REMEMBERED) memory.clear();
  return memory;
}
