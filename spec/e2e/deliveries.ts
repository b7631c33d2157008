import { eventually } from '../faults/eventually.js';
import type { ApiClient } from './api-client.js';
import { SOON_MS, taken } from './actions.js';

/** A delivery as operators see it. */
export interface Shown {
  readonly id: string;
  readonly tenant: string;
  readonly server: string;
  readonly subscriptionId: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly channel: 'webhook' | 'email';
  readonly to: string;
  readonly since: string;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly { readonly at: string; readonly result: string; readonly detail: string }[];
  readonly message: { readonly body: string };
}

/** The deliveries of a page, by default of the first. */
export async function deliveries(api: ApiClient, query = ''): Promise<readonly Shown[]> {
  return taken(await api.call('GET', `/operator/deliveries?${query}`))['deliveries'] as unknown as Shown[];
}

/** The first delivery that fits, once there is one. */
export function delivery(api: ApiClient, fits: (one: Shown) => boolean): Promise<Shown> {
  let seen: readonly Shown[] = [];
  return eventually(
    async () => {
      seen = await deliveries(api);
      return seen.find(fits);
    },
    SOON_MS,
    () => `no such delivery among ${JSON.stringify(seen)}`,
  );
}
