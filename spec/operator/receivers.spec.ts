import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { ReceiverView } from '../../src/operator/shapes.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import type { ApiClient } from '../e2e/api-client.js';
import { addSubscribedRule, arrived, cpu, okBody, windowSize } from '../e2e/policy/actions.js';
import { deliveries, delivery } from '../e2e/policy/deliveries.js';
import { expectRefusal } from '../e2e/refusal.js';
import { scenes } from '../e2e/scene.js';

/** A receiver that answers with a status, which may change. */
function answering(status: number) {
  const state = { status };
  const answer = (response: ServerResponse): void =>
    void response.writeHead(state.status).end(`says ${state.status}`);
  return { state, answer };
}

async function receivers(api: ApiClient, query = '', path = '/operator'): Promise<readonly ReceiverView[]> {
  const body = okBody(await api.call('GET', `${path}/receivers?${query}`)) as unknown as {
    receivers: readonly ReceiverView[];
  };
  return body.receivers;
}

function receiverWith(api: ApiClient, fits: (one: ReceiverView) => boolean, withinMs = SOON_MS) {
  let seen: readonly ReceiverView[] = [];
  return eventually(
    async () => {
      seen = await receivers(api);
      return seen.find(fits);
    },
    withinMs,
    () => `no such receiver among ${JSON.stringify(seen)}`,
  );
}

describe('receivers', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service());
    await windowSize(api, 1);
  });

  it('fail from their first failed attempt until their next success', async () => {
    const { state, answer } = answering(503);
    const target = await open.receiver(answer);
    await addSubscribedRule(api, 'web-1', `${target.origin}/hook`);
    await cpu(api, 'web-1', 1);
    await arrived(target, 1);
    const failing = await receiverWith(api, (one) => one.state === 'failing', 1_000);
    expect(failing).to.deep.include({ url: `${target.origin}/hook`, dead: 0, waiting: 1 });
    expect(failing.lastAnswer!.status).to.equal(503);
    expect(failing.lastAnswer!.detail).to.match(/^503 in \d+ ms: says 503$/);
    expect(failing.lastHour.successes).to.equal(0);
    expect(failing.lastHour.tries).to.be.at.least(1);
    expect(await receivers(api, 'state=ok')).to.deep.equal([]);
    expect((await receivers(api, 'state=failing&tenant=demo'))[0]!.id).to.equal(failing.id);
    expect(await receivers(api, 'tenant=other')).to.deep.equal([]);
    state.status = 200;
    expect(okBody(await api.call('POST', `/operator/receivers/${failing.id}/try`))).to.have.property('tried');
    const works = await receiverWith(api, (one) => one.state === 'ok' && one.waiting === 0);
    expect(works).to.deep.include({ id: failing.id, waiting: 0, dead: 0, next: null });
    expect(works.lastAnswer!.status).to.equal(200);
    expect(works.lastHour.successes).to.equal(1);
    expect(Date.parse(works.since)).to.be.at.least(Date.parse(failing.since));
  });

  it('fail from a refusal on, and have its dead letter sent again', async () => {
    const { state, answer } = answering(404);
    const target = await open.receiver(answer);
    await addSubscribedRule(api, 'web-1', target.origin);
    await cpu(api, 'web-1', 1);
    const { id } = await receiverWith(api, (one) => one.state === 'failing' && one.dead === 1);
    state.status = 204;
    expect(okBody(await api.call('POST', `/operator/receivers/${id}/redeliver`))).to.deep.equal({
      redelivered: 1,
    });
    await receiverWith(api, (one) => one.state === 'ok' && one.dead === 0);
    await delivery(api, (one) => one.state === 'delivered');
  });

  it('are suspended with a subscription whose messages they refuse', async () => {
    const target = await open.receiver(answering(410).answer);
    await addSubscribedRule(api, 'web-1', target.origin);
    await cpu(api, 'web-1', 1);
    const { url } = await receiverWith(api, (one) => one.state === 'suspended');
    expect(url).to.equal(target.origin);
    expect((await receivers(api, 'state=suspended')).length).to.equal(1);
    expect(await receivers(api, 'state=failing')).to.deep.equal([]);
  });

  it('keep their state over a restart', async () => {
    const folder = await open.folder();
    const first = await open.service({ DATA_DIR: folder });
    const target = await open.receiver(answering(503).answer);
    await windowSize(first.api, 1);
    await addSubscribedRule(first.api, 'web-1', target.origin);
    await cpu(first.api, 'web-1', 1);
    const { id, since } = await receiverWith(first.api, (one) => one.state === 'failing');
    await first.close();
    const second = await open.service({ DATA_DIR: folder });
    const again = await receiverWith(second.api, (one) => one.state === 'failing');
    expect(again).to.deep.include({ id, since });
  });

  it('can be tested as soon as a subscription names them, and go with it', async () => {
    const clock = { now: Date.now() };
    const service = await open.service({}, () => clock.now);
    const target = await open.receiver();
    await windowSize(service.api, 1);
    const { subscriptionId } = await addSubscribedRule(service.api, 'web-1', target.origin);
    const { id, ...untried } = await receiverWith(service.api, () => true);
    expect(untried).to.deep.include({ state: 'ok', lastAnswer: null, lastHour: { tries: 0, successes: 0 } });
    okBody(await service.api.call('POST', `/operator/receivers/${id}/test`));
    expect(target.got).to.have.length(1);
    okBody(await service.api.call('DELETE', `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`));
    clock.now += 2 * 60 * 60_000;
    await eventually(
      async () => (await receivers(service.api)).length === 0 || undefined,
      SOON_MS,
      () => 'the receiver is still there',
    );
  });

  it('fail as long as messages are tried, also those of an ended subscription', async () => {
    const clock = { now: Date.now() };
    const { api: own } = await open.service({}, () => clock.now);
    const target = await open.receiver(answering(503).answer);
    await windowSize(own, 1);
    const { subscriptionId } = await addSubscribedRule(own, 'web-1', target.origin);
    await cpu(own, 'web-1', 1);
    const { id, since } = await receiverWith(own, (one) => one.state === 'failing');
    okBody(await own.call('DELETE', `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`));
    const {
      deliveries: [waiting],
    } = okBody(await own.call('GET', '/v1.0/demo/deliveries')) as unknown as {
      deliveries: readonly { readonly id: string }[];
    };
    for (let i = 0; i < 3; i += 1) {
      const { lastAnswer } = await receiverWith(own, (one) => one.id === id);
      clock.now += 6 * 60_000;
      const next = await receiverWith(own, (one) => one.lastAnswer!.at !== lastAnswer!.at);
      expect(next).to.include({ state: 'failing', since });
    }
    okBody(await own.call('DELETE', `/v1.0/demo/deliveries/${waiting!.id}`));
    clock.now += 2 * 60_000;
    await receiverWith(own, (one) => one.state === 'ok');
  });

  it('get a signed test message that is in no figure', async () => {
    const { state, answer } = answering(200);
    const target = await open.receiver(answer);
    await addSubscribedRule(api, 'web-1', target.origin);
    await cpu(api, 'web-1', 1);
    const { id } = await receiverWith(api, (one) => one.lastHour.tries === 1);
    state.status = 410;
    const said = okBody(await api.call('POST', `/operator/receivers/${id}/test`));
    expect(said).to.deep.include({ result: 'refused', status: 410 });
    const { headers, body } = (await arrived(target, 2))[1]!;
    const key = new Webhook(okBody(await api.call('GET', '/v1.0/demo/webhook-secret'))['secret']!);
    const sent = key.verify(body, headers as Record<string, string>) as Record<string, string>;
    expect(Object.keys(sent)).to.deep.equal(['type', 'id', 'tenantId', 'sentAt']);
    expect(sent).to.include({ type: 'test', id: said['id'] });
    const after = await receivers(api);
    expect(after).to.have.length(1);
    expect(after[0]).to.deep.include({ state: 'ok', lastHour: { tries: 1, successes: 1 } });
    expect(await deliveries(api)).to.have.length(1);
  });

  it('get one test message at a time', async () => {
    const held: ServerResponse[] = [];
    const target = await open.receiver((response) => void held.push(response));
    await addSubscribedRule(api, 'web-1', target.origin);
    const { id } = await receiverWith(api, () => true);
    const said = Promise.all([1, 2, 3].map(() => api.call('POST', `/v1.0/demo/receivers/${id}/test`)));
    await arrived(target, 1);
    await receivers(api);
    for (const response of held.splice(0)) response.end();
    const answers = (await said).map(okBody);
    expect(answers.map((one) => one['id'])).to.deep.equal([1, 2, 3].map(() => answers[0]!['id']));
    expect(target.got).to.have.length(1);
    const next = api.call('POST', `/v1.0/demo/receivers/${id}/test`);
    await arrived(target, 2);
    for (const response of held) response.end();
    expect(okBody(await next)['id']).not.to.equal(answers[0]!['id']);
  });

  it('of a tenant are shown to it alone, under its own paths', async () => {
    const target = await open.receiver(answering(503).answer);
    await addSubscribedRule(api, 'web-1', target.origin);
    await cpu(api, 'web-1', 1);
    const { id } = await receiverWith(api, (one) => one.state === 'failing');
    expect((await receivers(api, '', '/v1.0/demo')).map((one) => one.id)).to.deep.equal([id]);
    expect(okBody(await api.call('GET', `/v1.0/demo/receivers/${id}`))).to.include({ id });
    const said = okBody(await api.call('POST', `/v1.0/demo/receivers/${id}/test`));
    expect(said).to.deep.include({ result: 'retry', status: 503 });
    expectRefusal(await api.call('GET', '/v1.0/other/receivers'), 403, 'tenantId');
    expectRefusal(await api.call('GET', '/v1.0/demo/receivers/rcv_0000000000000000'), 404, 'no receiver');
    expectRefusal(await api.call('GET', '/operator/receivers?state=bad'), 400, 'state', 'suspended');
    expectRefusal(await api.call('GET', '/operator/receivers?after=x'), 400, 'after');
    expectRefusal(await api.call('GET', '/v1.0/demo/receivers?tenant=demo'), 400, 'tenant');
  });

  it('are listed in pages, those in trouble first', async () => {
    const target = await open.receiver((response, { url }) =>
      response.writeHead(url === '/bad' ? 500 : 200).end(),
    );
    for (const name of ['bad', 'a', 'b', 'c']) {
      await addSubscribedRule(api, `web-${name}`, `${target.origin}/${name}`);
      await cpu(api, `web-${name}`, 1);
    }
    await eventually(
      async () => (await receivers(api)).length === 4 || undefined,
      SOON_MS,
      async () => JSON.stringify(await receivers(api)),
    );
    for (const limit of [1, 2, 3]) {
      const seen: string[] = [];
      for (let after: string | null = ''; after !== null;) {
        const page = okBody(
          await api.call('GET', `/operator/receivers?limit=${limit}&after=${after}`),
        ) as unknown as { receivers: ReceiverView[]; next: string | null };
        seen.push(...page.receivers.map(({ url }) => new URL(url).pathname));
        after = page.next;
      }
      expect(seen[0], `limit ${limit}`).to.equal('/bad');
      expect(seen.toSorted(), `limit ${limit}`).to.deep.equal(['/a', '/b', '/bad', '/c']);
    }
  });
});
