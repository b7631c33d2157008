import { expect } from 'chai';
import { cpu, okBody, addSubscribedRule, windowSize } from '../e2e/policy/actions.js';
import { deliveries, delivery, type Shown } from '../e2e/policy/deliveries.js';
import type { ApiClient } from '../e2e/api-client.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { expectRefusal } from '../e2e/refusal.js';
import { scenes } from '../e2e/scene.js';

const MAIL_RULE = {
  name: 'mail',
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Look' },
};

describe('/operator/deliveries', () => {
  const open = scenes();
  let api: ApiClient;
  let all: readonly Shown[];
  beforeEach(async () => {
    ({ api } = await open.service());
    await windowSize(api, 1);
    const receiver = await open.receiver((response, { url }) => {
      const status = { '/ok': 200, '/gone': 404, '/busy': 429 }[url] ?? 500;
      response.writeHead(status, status === 429 ? { 'retry-after': '3600' } : {}).end(`says ${status}`);
    });
    for (const path of ['ok', 'gone', 'busy'])
      await addSubscribedRule(api, path, `${receiver.origin}/${path}`);
    await addSubscribedRule(api, 'mail', `${receiver.origin}/ok`, MAIL_RULE);
    for (const server of ['ok', 'gone', 'busy', 'ok', 'gone', 'busy', 'mail']) await cpu(api, server, 1);
    all = await eventually(
      async () => {
        const shown = await deliveries(api);
        return shown.length === 8 && shown.every(({ attempts }) => attempts.length > 0) ? shown : undefined;
      },
      SOON_MS,
      () => 'not all were tried',
    );
  });

  it('lists all deliveries with the answer to each attempt', async () => {
    const seen = all.map(
      ({ server, channel, state, attempts }) => `${server} ${channel} ${state} ${attempts[0]!.result}`,
    );
    expect(seen).to.have.members([
      'ok webhook delivered delivered',
      'ok webhook delivered delivered',
      'gone webhook dead refused',
      'gone webhook dead refused',
      'busy webhook pending retry',
      'busy webhook pending retry',
      'mail webhook delivered delivered',
      'mail email delivered delivered',
    ]);
    const gone = all.find(({ server }) => server === 'gone')!;
    expect(gone.attempts[0]!.detail).to.match(/^404 in \d+ ms: says 404$/);
    expect(JSON.parse(gone.message.body)).to.include({ serverId: 'gone', id: gone.id });
    const busy = all.find(({ server }) => server === 'busy')!;
    expect(Date.parse(busy.nextAttemptAt!) - Date.now()).to.be.within(3_500_000, 3_700_000);
    expect(all.find(({ channel }) => channel === 'email')!.to).to.equal('ops@example.org');
    for (const { server, subscriptionId, tenant } of all) {
      const path = `/v1.0/${tenant}/servers/${server}/subscription/${subscriptionId}`;
      expect((await api.call('GET', path)).status).to.equal(200);
    }
  });

  it('filters by state and tenant', async () => {
    const tenant = all[0]!.tenant;
    for (const state of ['pending', 'delivered', 'dead'] as const) {
      const wanted = all.filter((one) => one.state === state);
      expect(await deliveries(api, `state=${state}`)).to.deep.equal(wanted);
      expect(await deliveries(api, `state=${state}&tenant=${tenant}`)).to.deep.equal(wanted);
      expect(await deliveries(api, `state=${state}&tenant=demo`)).to.deep.equal(wanted);
      expect(await deliveries(api, `state=${state}&tenant=nobody`)).to.deep.equal([]);
    }
    expectRefusal(await api.call('GET', '/operator/deliveries?state=sent'), 400, 'pending, delivered, dead');
    expectRefusal(await api.call('GET', '/operator/deliveries?limit=0'), 400, 'limit');
    expectRefusal(await api.call('GET', '/operator/deliveries?before=a%2Fb'), 400, 'before');
    expectRefusal(await api.call('GET', '/operator/deliveries?after=msg_1'), 400, 'after', 'before');
    expectRefusal(await api.call('GET', '/operator/deliveries?tenant=a%2Fb'), 400, 'tenant');
  });

  it('lists the newest first, and filters by server and subscription', async () => {
    const ids = all.map(({ id }) => id);
    expect(ids).to.deep.equal(ids.toSorted().toReversed());
    const times = all.map(({ since }) => since);
    expect(times).to.deep.equal(times.toSorted().toReversed());
    const { subscriptionId } = all.find(({ server }) => server === 'gone')!;
    for (const filter of [
      'server=gone',
      `subscription=${subscriptionId}`,
      `server=gone&subscription=${subscriptionId}`,
    ])
      expect(await deliveries(api, filter)).to.deep.equal(all.filter(({ server }) => server === 'gone'));
    expect(await deliveries(api, `server=ok&subscription=${subscriptionId}`)).to.deep.equal([]);
    expect(await deliveries(api, 'server=ok&state=dead')).to.deep.equal([]);
  });

  it('shows one by its id', async () => {
    for (const one of all) {
      expect(okBody(await api.call('GET', `/operator/deliveries/${one.id}`))).to.deep.equal(one);
    }
    expectRefusal(await api.call('GET', '/operator/deliveries/msg_nope'), 404, 'msg_nope');
    expectRefusal(await api.call('GET', '/operator/deliveries/a%2Fb'), 404, 'a/b');
    expectRefusal(await api.call('GET', `/operator/deliveries/${all[0]!.id}?tenant=x`), 400, 'tenant');
  });

  for (const limit of [1, 3, 8]) {
    it(`lists each item once in pages of ${limit}`, async () => {
      for (const filter of ['', 'state=delivered']) {
        const walked: Shown[] = [];
        let before = '';
        for (;;) {
          const query = `${filter}&limit=${limit}&before=${before}`;
          const page = okBody(await api.call('GET', `/operator/deliveries?${query}`));
          walked.push(...(page['deliveries'] as unknown as Shown[]));
          if (page['next'] === null) break;
          before = page['next']!;
        }
        expect(walked).to.deep.equal(await deliveries(api, filter));
      }
    });
  }

  it('sends only dead letters again', async () => {
    const dead = await delivery(api, ({ state }) => state === 'dead');
    const path = (tenant: string, id: string): string => `/operator/deliveries/${tenant}/${id}/redelivery`;
    for (const state of ['pending', 'delivered']) {
      const { tenant, id } = all.find((one) => one.state === state)!;
      expectRefusal(await api.call('POST', path(tenant, id)), 409, id, 'is not a dead letter');
    }
    expectRefusal(await api.call('POST', path(dead.tenant, 'msg_nope')), 404, 'msg_nope');
    expectRefusal(await api.call('POST', path('nobody', dead.id)), 404, dead.id);
    expectRefusal(await api.call('GET', path(dead.tenant, dead.id)), 405);
    okBody(await api.call('POST', path(dead.tenant, dead.id)));
    const again = await delivery(api, ({ id, attempts }) => id === dead.id && attempts.length === 2);
    expect(again.state).to.equal('dead');
    expect(again.attempts.map(({ result }) => result)).to.deep.equal(['refused', 'refused']);
  });
});
