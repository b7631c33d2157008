import { expect } from 'chai';
import { cpu, factsBody, okBody, addSubscribedRule, windowSize } from '../e2e/policy/actions.js';
import type { ApiClient } from '../e2e/api-client.js';
import { deliveries } from '../e2e/policy/deliveries.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';

/** Waits until a number of deliveries are in a state. */
function until(api: ApiClient, state: string, count: number): Promise<true> {
  let seen = 0;
  return eventually(
    async () => {
      seen = (await deliveries(api, `state=${state}&limit=1000`)).length;
      return seen === count || undefined;
    },
    2 * SOON_MS,
    () => `${seen} of ${count} deliveries are ${state}`,
  );
}

describe('1,000 dead letters of a subscription', () => {
  const open = scenes();

  it('are sent again together, while other requests are served', async () => {
    const { api } = await open.service({ DELIVERY_GIVE_UP_S: '1' });
    const status = { now: 503 };
    const receiver = await open.receiver((response) => response.writeHead(status.now).end());
    await windowSize(api, 1);
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin);
    const body = factsBody(...Array.from({ length: 1_000 }, () => ({ cpuLoadPct: '90' })));
    okBody(await api.call('POST', '/demo/servers/web-1', body));
    await until(api, 'dead', 1_000);
    status.now = 200;
    const redelivery = api.call('POST', '/operator/deliveries/redeliver', { subscriptionId });
    let answered = 0;
    const settled = redelivery.then(() => 'over');
    while ((await Promise.race([settled, cpu(api, 'web-2', 1)])) !== 'over') answered += 1;
    expect(answered, 'facts while it went on').to.be.above(5);
    expect(okBody(await redelivery)).to.deep.equal({ redelivered: 1_000 });
    await until(api, 'delivered', 1_000);
    const { actors } = okBody(await api.call('GET', '/operator/actors?kind=endpoint'));
    expect(actors, 'nothing is left to be known').to.deep.equal([]);
  });
});
