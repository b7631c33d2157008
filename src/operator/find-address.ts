import { DELIVERY, deliveryAddress } from '../delivery/delivery.js';
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

/** Finds a delivery by its id, which is unique over all tenants; in `tenant` alone, unchecked, if that is given. */
export async function findDelivery(
  store: Pick<Store, 'load' | 'outline'>,
  id: string,
  tenant: string | undefined,
): Promise<Address | undefined> {
  return tenant === undefined ? findAddress(store, DELIVERY, id) : deliveryAddress(tenant, id);
}
