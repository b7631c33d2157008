import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import type { ApiClient } from '../api-client.js';
import { okBody } from './actions.js';

/** A delivery in the operators' view. */
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
  readonly waitsFor: string | null;
  readonly attempts: readonly { readonly at: string; readonly result: string; readonly detail: string }[];
  readonly message: { readonly body: string };
}

/** Returns the deliveries of a page, by default of the first. */
export async function deliveries(api: ApiClient, query = ''): Promise<readonly Shown[]> {
  return okBody(await api.call('GET', `/operator/deliveries?${query}`))['deliveries'] as unknown as Shown[];
}

/** Resolves with the first matching delivery once there is one. */
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
