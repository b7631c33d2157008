import { lastOfTenants } from '../store/paging.js';
import { actorId, type Address, type Store } from '../store/port.js';

/** Finds an actor by kind and name, where names are unique over all tenants. undefined if it does not exist. */
export async function findAddress(
  store: Pick<Store, 'load' | 'outline'>,
  kind: string,
  name: string,
): Promise<Address | undefined> {
  for await (const { tenant } of lastOfTenants(store, { kind })) {
    const address = { kind, tenant, name };
    if ((await store.load(actorId(address))) !== undefined) return address;
  }
  return undefined;
}
