import { okBody } from '../../e2e/policy/actions.js';
import type { ApiClient } from '../../e2e/api-client.js';
import type { Scenes } from '../../e2e/scene.js';
import type { Stage } from './live-player.js';
import { METRICS } from './random-rules.js';
import { GAP_S } from './random-stories.js';

/** Settings of services that play stories. No delivery is given up when the clock leaps. */
export const SETTINGS = { METRICS, WINDOW_GAP_S: String(GAP_S), DELIVERY_GIVE_UP_S: '2592000' };

/** Starts a service whose clock the spec sets, and a receiver. */
export async function openStage(
  scene: Scenes,
  settings: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  let now = Date.parse('2014-04-01T00:00:00Z');
  const receiver = await scene.receiver();
  const { api } = await scene.service({ ...SETTINGS, ...settings }, () => now);
  return {
    api,
    receiver,
    tenantId: await tenantIdOf(api),
    get now() {
      return now;
    },
    set now(at) {
      now = at;
    },
  };
}

/** Returns the id of the tenant named `demo`, which becomes known. */
export async function tenantIdOf(api: ApiClient): Promise<string> {
  okBody(await api.call('GET', '/v1.0/demo'));
  const { actors } = okBody(await api.call('GET', '/operator/actors?kind=tenant'));
  return (actors as unknown as readonly { readonly tenant: string }[])[0]!.tenant;
}
