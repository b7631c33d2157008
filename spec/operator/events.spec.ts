import { expect } from 'chai';
import { addSubscribedRule, cpu, okBody, windowSize } from '../e2e/policy/actions.js';
import { anyId, building, ENTITIES, openLedger, receiptIn } from '../e2e/ledger/scene.js';
import { apiClient, request } from '../e2e/api-client.js';
import { expectRefusal } from '../e2e/refusal.js';
import { delivery } from '../e2e/policy/deliveries.js';
import { scenes } from '../e2e/scene.js';
import { type EventClient, openEvents, type Received } from './event-client.js';

describe('/operator/events', () => {
  const open = scenes();

  const events = async (url: string, query = '', headers = {}): Promise<EventClient> =>
    open.keep(await openEvents(`${url}/operator/events${query}`, headers), (client) => client.close());

  const is =
    (type: string, more: Readonly<Record<string, unknown>> = {}) =>
    (event: Received): boolean =>
      event.type === type && Object.entries(more).every(([key, value]) => event.data[key] === value);

  it('says hello, and then what happens: a transition, a firing, and its delivery until it is delivered', async () => {
    const { api, url } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin);
    const stream = await events(url);
    expect(stream.response.headers.get('content-type')).to.match(/^text\/event-stream/);
    expect(stream.response.headers.get('cache-control')).to.equal('no-store');
    const hello = await stream.next(is('hello'));
    expect(stream.text).to.match(/^retry: 2000\n\n/);
    expect(hello.data).to.deep.equal({ resumed: true });
    expect(hello.id).to.match(/^[0-9a-z]+-\d+$/);

    const factId = await cpu(api, 'web-1', 90);
    const transition = await stream.next(is('transition'));
    const firing = await stream.next(is('firing'));
    const { deliveryId, tenantId, at } = firing.data;
    const { sentence } = transition.data;
    const ids = { tenantId, serverId: 'web-1', ruleId, subscriptionId };
    expect(transition.data).to.deep.equal({
      ...ids,
      from: 'filling',
      to: 'firing',
      at,
      sentence,
      factId,
      serverState: 'firing',
    });
    expect(sentence).to.match(/^Holds since .* the mean of cpu is 90, at least 0\.$/);
    expect(firing.data).to.deep.equal({
      tenantId,
      serverId: 'web-1',
      ruleId,
      subscriptionId,
      factId,
      deliveryId,
      at,
    });
    const about = { tenantId, serverId: 'web-1', subscriptionId, deliveryId };
    const pending = await stream.next(is('delivery'));
    expect(pending.data).to.deep.equal({ ...about, state: 'pending', attempts: 0, at });
    const delivered = await stream.next(is('delivery'));
    expect(delivered.data).to.include({ ...about, state: 'delivered', attempts: 1 });
    expect(Date.parse(String(delivered.data['at']))).to.be.at.least(Date.parse(String(at)));
    const shown = await delivery(api, ({ id }) => id === deliveryId);
    expect(shown.attempts[0]!.at).to.equal(delivered.data['at']);
    const numbers = stream.all.map(({ id }) => Number(id!.split('-')[1]));
    expect(numbers).to.deep.equal([0, 1, 2, 3, 4].map((n) => numbers[0]! + n));
  });

  it('tells each failed attempt, a dead letter, its redelivery, and its end', async () => {
    const { api, url } = await open.service();
    const statuses = [410, 503, 404];
    const receiver = await open.receiver((response) => response.writeHead(statuses.shift()!).end());
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    const stream = await events(url);
    await cpu(api, 'web-1', 90);
    const dead = await stream.next(is('delivery', { state: 'dead', attempts: 1 }));
    const id = String(dead.data['deliveryId']);
    await api.call('POST', `/operator/deliveries/${String(dead.data['tenantId'])}/${id}/redelivery`);
    await stream.next(is('delivery', { deliveryId: id, state: 'pending', attempts: 0 }));
    await stream.next(is('delivery', { deliveryId: id, state: 'pending', attempts: 1 }));
    await stream.next(is('delivery', { deliveryId: id, state: 'dead', attempts: 2 }));
    okBody(await api.call('DELETE', `/operator/deliveries/${id}`));
    await stream.next(is('delivery', { deliveryId: id, state: 'discarded' }));
  });

  it('resumes behind Last-Event-ID, and says so if it cannot', async () => {
    const { api, url } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    const first = await events(url);
    await first.next(is('hello'));
    await cpu(api, 'web-1', 90);
    const firing = await first.next(is('firing'));
    const delivered = await first.next(is('delivery', { state: 'delivered' }));
    await first.close();
    await cpu(api, 'web-1', 91);
    await delivery(api, ({ id, state }) => id !== firing.data['deliveryId'] && state === 'delivered');

    for (const [query, headers] of [
      ['', { 'Last-Event-ID': delivered.id! }],
      [`?lastEventId=${delivered.id}`, {}],
    ] as const) {
      const resumed = await events(url, query, headers);
      expect(await resumed.next(is('hello'))).to.deep.include({ id: delivered.id, data: { resumed: true } });
      await resumed.next(is('delivery', { state: 'delivered' }));
      const missed = resumed.all
        .slice(1)
        .map(({ type, data }) => `${type} ${String(data['state'] ?? data['factId'])}`);
      expect(missed).to.deep.equal(['firing 2', 'delivery pending', 'delivery delivered']);
    }
    for (const unknown of ['another-1', `${delivered.id}0000`, 'x', '-1', '1e400']) {
      const anew = await events(url, '', { 'Last-Event-ID': unknown });
      const hello = await anew.next(is('hello'));
      expect(hello.data).to.deep.equal({ resumed: false });
      await cpu(api, 'web-1', 92);
      await anew.next(is('firing'));
      expect(anew.all.filter(({ type }) => type === 'firing')).to.have.length(1);
      await anew.close();
    }
  });

  it('has the headers alone for HEAD', async () => {
    const { url } = await open.service();
    const { status, headers, text } = await request(`${url}/operator/events`, 'HEAD');
    const stream = await fetch(`${url}/operator/events`);
    await stream.body!.cancel();
    expect(headers.get('content-type')).to.match(/^text\/event-stream\b/);
    for (const name of ['content-type', 'cache-control', 'x-accel-buffering', 'content-length']) {
      expect(headers.get(name), name).to.equal(stream.headers.get(name));
    }
    expect([status, text]).to.deep.equal([200, '']);
  });

  it('has the events of one tenant or server if asked so, and the facts of a server', async () => {
    const { api, url } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 2);
    const { ruleId } = await addSubscribedRule(api, 'web-1', receiver.origin);
    await addSubscribedRule(api, 'web-2', receiver.origin);
    await cpu(api, 'web-2', 1);
    const all = await events(url);
    const server = await events(url, '?server=web-1');
    await cpu(api, 'web-2', 1);
    const tenant = String((await all.next(is('firing', { serverId: 'web-2' }))).data['tenantId']);
    const mine = await events(url, `?tenant=${tenant}`);
    const others = await events(url, '?tenant=nobody');
    const both = await events(url, '?tenant=demo&server=web-1');
    for (const stream of [mine, others, both]) await stream.next(is('hello'));

    await cpu(api, 'web-1', 50);
    const filling = await both.next(is('facts'));
    expect(filling.id).to.equal(undefined);
    expect(filling.data).to.deep.include({ tenantId: tenant, serverId: 'web-1', factId: 1 });
    const windows = filling.data['windows'] as Record<string, unknown>;
    expect(windows['cpu']).to.deep.equal({ size: 2, values: [50] });
    expect(windows['mem']).to.deep.equal({ size: 2, values: [] });
    expect(Date.now() - Date.parse(String(filling.data['at']))).to.be.within(0, 60_000);
    await cpu(api, 'web-1', 60);
    const full = await both.next(is('facts', { factId: 2 }));
    expect((full.data['windows'] as Record<string, unknown>)['cpu']).to.deep.equal({
      size: 2,
      values: [50, 60],
    });

    for (const stream of [all, server, mine, both]) {
      const { data } = await stream.next(is('firing', { serverId: 'web-1' }));
      expect(data['ruleId']).to.equal(ruleId);
      await stream.next(is('delivery', { serverId: 'web-1', state: 'delivered' }));
    }
    for (const stream of [server, both]) {
      const seen = stream.all.filter(({ type }) => type !== 'hello').map(({ data }) => data['serverId']);
      expect(new Set(seen)).to.deep.equal(new Set(['web-1']));
    }
    for (const stream of [all, server, mine]) expect(stream.all.some(is('facts'))).to.equal(false);
    expect(others.all.map(({ type }) => type)).to.deep.equal(['hello']);
  });

  it('refuses parameters that it does not have, and other methods', async () => {
    const { api } = await open.service();
    expectRefusal(await api.call('GET', '/operator/events?since=1'), 400, 'since', 'lastEventId');
    expectRefusal(await api.call('GET', '/operator/events?tenant=a%2Fb'), 400, 'tenant');
    expectRefusal(await api.call('GET', '/operator/events?server=a&server=b'), 400, 'server');
    expectRefusal(await api.call('POST', '/operator/events'), 405);
  });

  it('ends at once when the service stops', async () => {
    const service = await open.service();
    const stream = await events(service.url);
    await stream.next(is('hello'));
    const begun = performance.now();
    await Promise.all([service.close(), stream.ended]);
    expect(performance.now() - begun).to.be.below(5_000);
  });
});

describe('/console/api/events', () => {
  const open = scenes();

  it('shows a tenant its own events alone, with its token', async () => {
    const { url, api: own } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:bob:secret-2' });
    const receiver = await open.receiver();
    const other = await apiClient(url, 'other', 'bob', 'secret-2');
    await windowSize(own, 1);
    await addSubscribedRule(own, 'web-1', receiver.origin);
    const read = async (token: string, query = ''): Promise<EventClient> => {
      const client = await openEvents(`${url}/console/api/events${query}`, { 'X-Auth-Token': token });
      return open.keep(client, (one) => one.close());
    };
    const [mine, theirs] = [await read(own.token), await read(other.token)];
    const all = await openEvents(`${url}/console/api/events`);
    open.keep(all, (one) => one.close());
    for (const client of [mine, theirs, all]) await client.next(({ type }) => type === 'hello');
    await cpu(own, 'web-1', 90);
    const firing = await mine.next(({ type }) => type === 'firing');
    await all.next(({ data }) => data['state'] === 'delivered');
    const asking = await read(
      other.token,
      `?tenant=${String(firing.data['tenantId'])}&lastEventId=${all.all[0]!.id}`,
    );
    await asking.next(({ type }) => type === 'hello');
    await mine.next(({ data }) => data['state'] === 'delivered');
    for (const client of [theirs, asking])
      expect(client.all.map(({ type }) => type)).to.deep.equal(['hello']);
    expectRefusal(await request(`${url}/console/api/events`, 'GET', undefined, { 'X-Auth-Token': 'x' }), 401);
  });
});

describe('/operator/events of a ledger', () => {
  it('tells each receipt, with its entity and tenant', async () => {
    const ledger = await openLedger();
    try {
      const stream = await openEvents(`${ledger.url}/operator/events`);
      await stream.next(({ type }) => type === 'hello');
      const id = anyId();
      const headers = { 'NGSILD-Tenant': 'acme' };
      const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, building(id), headers));
      const told = await stream.next(({ type }) => type === 'receipt');
      const { transactionHash, blockNumber } = receipt;
      const at = told.data['at'];
      expect(told.data).to.deep.equal({ tenantId: 'acme', transactionHash, entityId: id, blockNumber, at });
      await stream.close();
    } finally {
      await ledger.close();
    }
  });
});
