import { expect } from 'chai';
import {
  ALWAYS,
  cpu,
  factsBody,
  subscribe,
  okBody,
  addSubscribedRule,
  windowSize,
} from '../e2e/policy/actions.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { deliveries } from '../e2e/policy/deliveries.js';
import { expectRefusal } from '../e2e/refusal.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import type { Receiver } from '../delivery/senders/receiver.js';

const REDELIVER = '/operator/deliveries/redeliver';

/** Returns the ids of the deliveries in a state, once there are `count`. */
function idsOf(api: ApiClient, state: string, count: number): Promise<readonly string[]> {
  let seen = 0;
  return eventually(
    async () => {
      const found = await deliveries(api, `state=${state}&limit=1000`);
      seen = found.length;
      return seen === count ? found.map(({ id }) => id) : undefined;
    },
    SOON_MS,
    () => `${seen} of ${count} deliveries are ${state}`,
  );
}

describe('dead letters of a subscription', () => {
  const open = scenes();
  const status = { now: 200 };
  let api: ApiClient;
  let receiver: Receiver;
  let others: readonly ApiClient[];
  beforeEach(async () => {
    const service = await open.service({
      DELIVERY_GIVE_UP_S: '1',
      IDENTITY_USERS: 'a:a:a,b:b:b,c:c:c,demo:demo:demo',
    });
    ({ api } = service);
    status.now = 404;
    receiver = await open.receiver((response) => response.writeHead(status.now).end());
    await windowSize(api, 1);
    others = await Promise.all(['a', 'b', 'c'].map((name) => apiClient(service.url, name, name, name)));
  });

  const endpoints = async (): Promise<number> =>
    (okBody(await api.call('GET', '/operator/actors?kind=endpoint'))['actors'] as unknown as []).length;

  it('are sent again together, and no others', async () => {
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', `${receiver.origin}/one`);
    await subscribe(api, 'web-1', ruleId, `${receiver.origin}/other`);
    for (let i = 0; i < 3; i += 1) await cpu(api, 'web-1', 90);
    await idsOf(api, 'dead', 6);
    status.now = 200;
    expect(okBody(await api.call('POST', REDELIVER, { subscriptionId }))).to.deep.equal({ redelivered: 3 });
    await idsOf(api, 'delivered', 3);
    const left = await deliveries(api, 'state=dead');
    expect(left.map((one) => one.subscriptionId)).not.to.include(subscriptionId);
    expect(left).to.have.length(3);
    expect(okBody(await api.call('POST', REDELIVER, { subscriptionId }))).to.deep.equal({ redelivered: 0 });
    expect(await endpoints(), 'nothing is left to be known of the first').to.equal(1);
  });

  it('become dead letters again after another failure', async () => {
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin);
    await cpu(api, 'web-1', 90);
    await idsOf(api, 'dead', 1);
    for (let i = 0; i < 3; i += 1) {
      expect(okBody(await api.call('POST', REDELIVER, { subscriptionId }))).to.deep.equal({ redelivered: 1 });
      await eventually(
        async () => {
          const [one] = await deliveries(api, 'state=dead');
          return one?.attempts.length === i + 2 || undefined;
        },
        SOON_MS,
        () => 'it was not refused again',
      );
    }
  });

  it('are found in any tenant', async () => {
    for (const [i, name] of ['a', 'b', 'c'].entries()) {
      const client = others[i]!;
      const path = `/v1.0/${name}`;
      okBody(await client.call('PUT', path, { windowsize: 1 }));
      const { ruleId } = okBody(await client.call('POST', `${path}/rules`, ALWAYS));
      const wanted = { ruleId, url: receiver.origin };
      okBody(await client.call('POST', `${path}/servers/web-1/subscription`, wanted));
      const body = factsBody({ cpuLoadPct: '90' }, { cpuLoadPct: '91' });
      okBody(await client.call('POST', `/${name}/servers/web-1`, body));
    }
    await idsOf(api, 'dead', 6);
    status.now = 200;
    for (const { id, subscriptionId } of await deliveries(api, 'state=dead')) {
      if ((await deliveries(api, 'state=dead')).every((one) => one.id !== id)) continue;
      okBody(await api.call('DELETE', `/operator/deliveries/${id}`));
      expect(okBody(await api.call('POST', REDELIVER, { subscriptionId }))).to.deep.equal({ redelivered: 1 });
      await eventually(
        async () => (await deliveries(api, 'state=pending')).length === 0 || undefined,
        SOON_MS,
        () => 'it is not delivered',
      );
    }
    expect(await deliveries(api, 'state=dead')).to.deep.equal([]);
  });

  it('are requested by the id of an existing subscription', async () => {
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin);
    expect(okBody(await api.call('POST', REDELIVER, { subscriptionId }))).to.deep.equal({ redelivered: 0 });
    const nobody = { subscriptionId: 'nobody' };
    expectRefusal(await api.call('POST', REDELIVER, nobody), 404, 'subscriptionId', 'nobody');
    for (const body of [{}, [], { subscriptionId: 7 }, { subscriptionId: 'a/b' }, { subscriptionId: '' }]) {
      expectRefusal(await api.call('POST', REDELIVER, body), 400, 'subscriptionId');
    }
    const more = { subscriptionId, tenant: 'demo' };
    expectRefusal(await api.call('POST', REDELIVER, more), 400, 'members other than subscriptionId');
    expectRefusal(await api.call('POST', REDELIVER, '{'), 400);
    expectRefusal(await api.call('PUT', REDELIVER), 405);
  });

  it('are discarded one by one', async () => {
    await addSubscribedRule(api, 'web-1', receiver.origin);
    await addSubscribedRule(api, 'web-2', `${receiver.origin}/taken`);
    await cpu(api, 'web-1', 90);
    await cpu(api, 'web-1', 90);
    const [id] = await idsOf(api, 'dead', 2);
    status.now = 200;
    await cpu(api, 'web-2', 90);
    const [alive] = await idsOf(api, 'delivered', 1);
    okBody(await api.call('DELETE', `/operator/deliveries/${id}`));
    expect(await deliveries(api, 'state=dead')).to.have.length(1);
    expectRefusal(await api.call('DELETE', `/operator/deliveries/${id}`), 404, id!);
    expectRefusal(await api.call('DELETE', `/operator/deliveries/${alive}`), 409, alive!, 'is delivered');
    for (const unknown of ['msg_nope', 'a%2Fb', 'x'.repeat(2_000)]) {
      expectRefusal(await api.call('DELETE', `/operator/deliveries/${unknown}`), 404);
    }
  });
});
