import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { ApiClient } from '../../api-client.js';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { addSubscribedRule, ALWAYS, arrived, cpu, firedIn, okBody, windowSize } from '../actions.js';
import { deliveries, delivery, type Shown } from '../deliveries.js';

const OPERATOR = '/operator';
const TENANT = '/v1.0/demo';

describe('a request to a delivery', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' }));
    await windowSize(api, 1);
  });

  const post = (path: string, id: string, what: string) =>
    api.call('POST', `${path}/deliveries/${id}/${what}`);

  /** Resolves with the deliveries, oldest first, once there are so many. */
  const untilThere = async (count: number): Promise<readonly Shown[]> =>
    eventually(
      async () => {
        const all = await deliveries(api);
        return all.length === count ? all.toReversed() : undefined;
      },
      SOON_MS,
      async () => `there are ${(await deliveries(api)).length} deliveries`,
    );

  for (const path of [OPERATOR, TENANT]) {
    it(`tries a message that waits now, at ${path}`, async () => {
      const status = { now: 503 };
      const target = await open.receiver((response) =>
        response.writeHead(status.now, { 'retry-after': '3600' }).end(),
      );
      await addSubscribedRule(api, 'web-1', target.origin);
      await cpu(api, 'web-1', 1);
      const { id } = await delivery(api, (one) => one.nextAttemptAt !== null && one.attempts.length > 0);
      status.now = 200;
      expect(okBody(await post(path, id, 'try'))).to.deep.equal({ id, state: 'pending' });
      await delivery(api, ({ state }) => state === 'delivered');
      expectRefusal(await post(path, id, 'try'), 409, id, 'resend it');
    });

    it(`sends a delivered message again, as it was, at ${path}`, async () => {
      const target = await open.receiver();
      await addSubscribedRule(api, 'web-1', target.origin);
      await cpu(api, 'web-1', 1);
      const { id } = await delivery(api, ({ state }) => state === 'delivered');
      expect(okBody(await post(path, id, 'resend'))).to.deep.equal({ id, state: 'pending' });
      const [first, second] = await arrived(target, 2);
      expect(second!.body).to.equal(first!.body);
      expect(second!.headers['webhook-id']).to.equal(id);
      const { attempts } = await delivery(api, (one) => one.attempts.length === 2);
      expect(attempts.map(({ result }) => result)).to.deep.equal(['delivered', 'delivered']);
    });

    it(`discards one that waits, which lets none overtake another, at ${path}`, async () => {
      const held: ServerResponse[] = [];
      const target = await open.receiver((response) => held.push(response));
      await addSubscribedRule(api, 'web-1', target.origin, { ...ALWAYS, name: 'stated', resolve: true });
      for (let i = 0; i < 3; i += 1) await cpu(api, 'web-1', 1);
      await arrived(target, 1);
      const [first, second, third] = await untilThere(3);
      expect(third!.waitsFor).to.equal(second!.id);
      expectRefusal(await post(path, second!.id, 'try'), 409, `waits for ${first!.id}`);
      okBody(await api.call('DELETE', `${path}/deliveries/${second!.id}`));
      expect((await deliveries(api)).map(({ id }) => id)).to.deep.equal([third!.id, first!.id]);
      expectRefusal(await api.call('DELETE', `${path}/deliveries/${second!.id}`), 404, second!.id);
      expect(target.got).to.have.length(1);
      held[0]!.end();
      await arrived(target, 2);
      held[1]!.end();
      await delivery(api, ({ id, state }) => id === third!.id && state === 'delivered');
      expect(firedIn(target.got).map(({ id }) => id)).to.deep.equal([first!.id, third!.id]);
    });
  }

  it('is a tenant’s for its own messages alone', async () => {
    const target = await open.receiver((response) => response.writeHead(400).end());
    await addSubscribedRule(api, 'web-1', target.origin);
    await cpu(api, 'web-1', 1);
    const { id, tenant } = await delivery(api, ({ state }) => state === 'dead');
    expect(
      okBody(await api.call('GET', `${TENANT}/deliveries?state=dead&answer=400`)),
    ).to.have.nested.property('deliveries[0].id', id);
    expect(okBody(await api.call('GET', `${TENANT}/deliveries?answer=503`))['deliveries']).to.deep.equal([]);
    expect(okBody(await api.call('GET', `${TENANT}/deliveries/${id}`))).to.include({ id, tenant });
    for (const [method, path] of [
      ['GET', `/v1.0/other/deliveries/${id}`],
      ['DELETE', `/v1.0/other/deliveries/${id}`],
      ['POST', `/v1.0/other/deliveries/${id}/resend`],
    ] as const)
      expectRefusal(await api.call(method, path), 403, 'tenantId');
    expect(okBody(await post(TENANT, id, 'redelivery'))).to.deep.equal({ id, state: 'pending' });
    await arrived(target, 2);
    await delivery(api, (one) => one.state === 'dead' && one.attempts.length === 2);
    okBody(await api.call('DELETE', `${TENANT}/deliveries/${id}`));
    expect(await deliveries(api)).to.deep.equal([]);
  });

  it('is durable', async () => {
    const folder = await open.folder();
    const held: ServerResponse[] = [];
    const target = await open.receiver((response) => held.push(response));
    const first = await open.service({ DATA_DIR: folder });
    await windowSize(first.api, 1);
    await addSubscribedRule(first.api, 'web-1', target.origin, { ...ALWAYS, name: 'stated', resolve: true });
    for (let i = 0; i < 3; i += 1) await cpu(first.api, 'web-1', 1);
    const { id } = await delivery(first.api, (one) => one.waitsFor !== null);
    okBody(await first.api.call('DELETE', `/operator/deliveries/${id}`));
    await first.close();
    const second = await open.service({ DATA_DIR: folder });
    const left = await deliveries(second.api);
    expect(left.map((one) => one.id)).not.to.include(id);
    expect(left).to.have.length(2);
  });
});
