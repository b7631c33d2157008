import type { Actors, Author } from '../../actors/kind.js';
import { Refusal } from '../../errors.js';
import type { Address } from '../../store/port.js';
import { lruCache } from '../../system/lru-cache.js';
import { singleFlight } from '../../system/ttl-cache.js';
import type { QuietPlans } from '../quiet/plans.js';
import { planDue, TENANT, type TenantContext, type TenantEvent, tenantIsDeleted } from './tenant-machine.js';
import { TENANT_NAME, type TenantNameContext, type TenantNameEvent } from './tenant-name.js';

/** The tenants of the service. A tenant becomes known by its first request with a valid token. */
export type Tenants = ReturnType<typeof createTenants>;

/** Maximum number of entries of each memory of tenants and names. */
const MEMORY_LIMIT = 10_000;
/** How long a token of a tenant is not stored as seen again, ms. */
const SEEN_MS = 60_000;
/** How long a name is trusted not to be the id of a tenant, ms. */
const NAME_MS = 500;

/** Tenants that the address of an actor accepts: printable ASCII without the slash. */
const USABLE = /^[!-.0-~]{1,256}$/;

/** Returns true for the id of a tenant that can be used here. */
export function isUsableTenant(id: string): boolean {
  return USABLE.test(id);
}

const addressOfName = (name: string): Address => ({ kind: TENANT_NAME, tenant: name, name: 'name' });

/** Returns the address of a tenant's actor. */
export function addressOfTenant(tenantId: string): Address {
  return { kind: TENANT, tenant: tenantId, name: 'tenant' };
}

/** Returns the addresses of the actors of a tenant's names. */
export function addressesOfNames(names: readonly string[]): readonly Address[] {
  return names.filter((name) => USABLE.test(name)).map(addressOfName);
}

/** Returns the refusal for a tenant of which no token was seen, or none since its deletion. */
export function unknownTenant(idOrName: string): Refusal {
  return new Refusal(
    'not-found',
    `tenantId: no tenant ${idOrName} is known; a tenant is known from its first request with a valid token on`,
  );
}

/** Returns a tenant. Throws `Refusal('not-found')` if it is unknown, or being deleted. */
function existingTenant<C extends Pick<TenantContext, 'deletedAt'>>(
  tenantId: string,
  context: C | undefined,
): C {
  if (context === undefined || context.deletedAt !== undefined) throw unknownTenant(tenantId);
  return context;
}

/** Resolves with false for a tenant that is unknown, or being deleted. */
export async function isKnownTenant(
  actors: Pick<Actors, 'peek' | 'read'>,
  tenantId: string,
): Promise<boolean> {
  const address = addressOfTenant(tenantId);
  const view = actors.peek<TenantContext>(address) ?? (await actors.read<TenantContext>(address));
  return view !== undefined && view.context.deletedAt === undefined;
}

/** Makes the reading of tenants. It rejects with `Refusal('not-found')` if the tenant is unknown, or being deleted. */
export function tenantCopies(
  actors: Pick<Actors, 'peek' | 'read' | 'readCommitted' | 'ask'>,
  plans: Pick<QuietPlans, 'next'>,
  now: () => number,
) {
  const planning = singleFlight<void>();
  const isPlanned = ({ quietPlannedTo }: TenantContext): boolean =>
    quietPlannedTo === undefined || now() < quietPlannedTo;
  /** Plans the quiet times whose occurrences now are not known: the service was stopped for as long as their plan. */
  const plan = (tenantId: string, context: TenantContext): Promise<void> =>
    planning(tenantId, async () => {
      await actors.ask(addressOfTenant(tenantId), await planDue(context, tenantId, plans, now));
    });
  const readAny = async (tenantId: string): Promise<TenantContext> =>
    existingTenant(tenantId, (await actors.read<TenantContext>(addressOfTenant(tenantId)))?.context);
  const read = async (tenantId: string): Promise<TenantContext> => {
    const context = await readAny(tenantId);
    if (isPlanned(context)) return context;
    await plan(tenantId, context);
    return readAny(tenantId);
  };
  return {
    /** Returns the tenant, at once if this node holds a fresh copy. */
    view(tenantId: string): TenantContext | Promise<TenantContext> {
      const context = actors.peek<TenantContext>(addressOfTenant(tenantId))?.context;
      return context !== undefined && context.deletedAt === undefined && isPlanned(context)
        ? context
        : read(tenantId);
    },
    /** Returns the tenant after all events sent before. */
    read,
    /** Returns the tenant with all that any node committed before the call. */
    committed: async (tenantId: string): Promise<TenantContext> =>
      existingTenant(tenantId, await actors.readCommitted<TenantContext>(addressOfTenant(tenantId))),
  };
}

/** Makes the changes of known tenants. */
export function tenantChanges(actors: Pick<Actors, 'ask'>, now: () => number) {
  const ask = <R>(tenantId: string, event: TenantEvent): Promise<R> =>
    actors.ask(addressOfTenant(tenantId), event);
  return {
    /** Operation 3. Takes effect on every server of the tenant. */
    resize: (tenantId: string, size: number) => ask<void>(tenantId, { type: 'resize', now: now(), size }),
    ask,
  };
}

/** Makes the tenants on a runtime. */
export function createTenants(actors: Actors, plans: Pick<QuietPlans, 'next'>, now: () => number) {
  // A known tenant is one until its deletion, which its readers notice. A name expires: a tenant may appear later whose id
  // equals the name.
  const bound = lruCache<true>(MEMORY_LIMIT);
  const known = lruCache<true>(MEMORY_LIMIT);
  const names = lruCache<{ readonly tenantId: string; readonly until: number }>(MEMORY_LIMIT);
  const idsByName = lruCache<string>(MEMORY_LIMIT);

  const changes = tenantChanges(actors, now);
  const seeing = singleFlight<void>();

  const nameOf = (name: string): string | undefined => {
    const bound = names.get(name);
    const left = bound === undefined ? 0 : bound.until - now();
    // More than its time is left if the clock was set back.
    return left > 0 && left <= NAME_MS ? bound!.tenantId : undefined;
  };

  const find = async (idOrName: string): Promise<string | undefined> => {
    if (!USABLE.test(idOrName)) return undefined;
    const tenant = await actors.read<TenantContext>(addressOfTenant(idOrName));
    if (tenant !== undefined && tenant.context.deletedAt === undefined) {
      known.set(idOrName, true);
      return idOrName;
    }
    known.delete(idOrName);
    const name = await actors.read<TenantNameContext>(addressOfName(idOrName));
    const tenantId = name?.context.tenantId;
    if (tenantId !== undefined) {
      names.set(idOrName, { tenantId, until: now() + NAME_MS });
      idsByName.set(idOrName, tenantId);
    }
    return tenantId;
  };

  /** True if nothing has to be stored for a token of the tenant. Throws `Refusal('unavailable')` if it is being deleted. */
  const isSeen = async (id: string, name: string): Promise<boolean> => {
    const address = addressOfTenant(id);
    const tenant = actors.peek<TenantContext>(address) ?? (await actors.read<TenantContext>(address));
    if (tenant?.context.deletedAt !== undefined) throw tenantIsDeleted();
    const age = now() - (tenant?.context.seenAt ?? -Infinity);
    return (
      age >= 0 && age < SEEN_MS && bound.get(`${id}/${name}`) === true && tenant!.context.names.includes(name)
    );
  };

  const see = async (id: string, name: string): Promise<void> => {
    const bind: TenantNameEvent = { type: 'bind', now: now(), tenantId: id };
    await Promise.all([
      changes.ask(id, { type: 'seen', now: now(), name }),
      name === id || !USABLE.test(name) ? undefined : actors.ask(addressOfName(name), bind),
    ]);
    known.set(id, true);
    bound.set(`${id}/${name}`, true);
    // Measurements under a name go to the tenant that had it first, which `find` knows.
    if (!idsByName.has(name)) idsByName.set(name, id);
  };

  return {
    /**
     * Called for each request with a valid token of the tenant. Afterwards every node knows the tenant, until it is deleted, by
     * id and by name. Throws `Refusal('forbidden')` for an id that no address can hold, and `Refusal('unavailable')` for a
     * tenant that is being deleted.
     */
    async seen({ id, name }: { readonly id: string; readonly name: string }): Promise<void> {
      if (!isUsableTenant(id))
        throw new Refusal('forbidden', 'the id of the tenant of the token cannot be used here');
      if (!(await isSeen(id, name))) await seeing(`${id}/${name}`, () => see(id, name));
    },
    /**
     * Deletes a tenant with all that is its own. Resolves once that is durable; its outbox goes on with it. Rejects with
     * `Refusal('not-found')` for an unknown tenant.
     */
    async remove(tenantId: string, author?: Author): Promise<void> {
      const found = USABLE.test(tenantId) ? await actors.read(addressOfTenant(tenantId)) : undefined;
      if (found === undefined) throw unknownTenant(tenantId);
      await changes.ask(tenantId, { type: 'delete', now: now(), author });
      known.delete(tenantId);
      bound.clear();
    },
    /** As `resolve`, and never what was true before a deletion that this node has heard of. */
    find,
    /** Returns the id of the tenant with this id or name; undefined if no tenant has it. */
    resolve(idOrName: string): string | undefined | Promise<string | undefined> {
      if (known.get(idOrName) === true) return idOrName;
      return nameOf(idOrName) ?? find(idOrName);
    },
    /** Returns the id of the tenant with this id or name, if a token or measurements of it came to this node. For display. */
    remembered: (idOrName: string) => (known.has(idOrName) ? idOrName : idsByName.get(idOrName)),
    ...tenantCopies(actors, plans, now),
    ...changes,
  };
}
