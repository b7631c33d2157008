import { expect } from 'chai';
import type { TenantsView } from '../../../../src/operator/shapes.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { scenes } from '../../scene.js';
import { ALWAYS, factsBody, okBody } from '../actions.js';

const FULL_SERVERS = 'this tenant has 2 servers, and can have no more (TENANT_SERVERS)';
const FULL_SUBSCRIPTIONS = 'this tenant has 2 subscriptions, and can have no more (TENANT_SUBSCRIPTIONS)';
const url = 'http://127.0.0.1:9/hook';

describe('the limits of a tenant', () => {
  const open = scenes();

  it('refuse a new server by fact, rule and subscription, and no known one', async () => {
    let aheadMs = 0;
    const { api } = await open.service({ TENANT_SERVERS: '2' }, () => Date.now() + aheadMs);
    const fact = (server: string) =>
      api.call('POST', `/demo/servers/${server}`, factsBody({ cpuLoadPct: 5 }));
    okBody(await api.call('GET', '/v1.0/demo'));
    const ruleId = okBody(await api.call('POST', '/v1.0/demo/rules', ALWAYS))['ruleId']!;
    const first = await Promise.all(['a', 'b', 'c', 'd', 'e', 'a', 'b'].map(fact));
    const taken = ['a', 'b', 'c', 'd', 'e'].filter((_, i) => first[i]!.status === 200);
    expect(taken, 'at once').to.have.length(2);
    const refused = [
      await fact('new'),
      await api.call('POST', '/v1.0/demo/servers/new/rules', ALWAYS),
      await api.call('POST', '/v1.0/demo/servers/new/subscription', { ruleId, url }),
    ];
    for (const { status, body } of refused) {
      expect(status).to.equal(409);
      expect(JSON.stringify(body)).to.include(FULL_SERVERS);
    }
    for (const server of taken) okBody(await fact(server));
    okBody(await api.call('POST', `/v1.0/demo/servers/${taken[0]}/subscription`, { ruleId, url }));
    expect((await api.call('DELETE', `/v1.0/demo/servers/${taken[1]}`)).status).to.be.below(300);
    // A deleted server counts until what began before its deletion has ended: some seconds.
    aheadMs = 10_000;
    await eventually(
      async () => (await fact('new')).status === 200 || undefined,
      SOON_MS,
      () => 'the deleted server still counts',
    );
    const shown = okBody(await api.call('GET', '/operator/tenants')) as unknown as TenantsView;
    expect(shown.limits).to.deep.equal({ servers: 2, subscriptions: null, requestsPerSecond: null });
    expect(shown.tenants.map((one) => one.servers)).to.include(2);
  });

  it('leave new servers out of facts by entity, as operators see', async () => {
    const { api } = await open.service({ TENANT_SERVERS: '2' });
    okBody(await api.call('GET', '/v1.0/demo'));
    const data = ['a', 'b', 'c'].map((id) => ({ id, type: 'host', cpuLoadPct: 5 }));
    const first = okBody(await api.call('POST', '/demo/notify', { data }));
    expect(first).to.deep.include({ facts: 2, servers: 2 });
    const second = okBody(await api.call('POST', '/demo/notify', { data: data.slice(0, 2) }));
    expect(second).to.deep.include({ facts: 2, servers: 2 });
    const refused = first['refused'] as unknown as { index: number; message: string }[];
    expect(refused.map(({ index }) => index)).to.deep.equal([2]);
    expect(refused[0]!.message).to.include(FULL_SERVERS);
    const { refusals } = okBody(await api.call('GET', '/operator/refusals'));
    expect(JSON.stringify(refusals)).to.include(FULL_SERVERS);
  });

  it('refuse a new subscription, and answer an existing one with its id', async () => {
    const { api } = await open.service({ TENANT_SUBSCRIPTIONS: '2' });
    const ruleId = okBody(await api.call('POST', '/v1.0/demo/rules', ALWAYS))['ruleId']!;
    const subscribe = (path: string) =>
      api.call('POST', '/v1.0/demo/servers/a/subscription', { ruleId, url: `${url}/${path}` });
    const all = await Promise.all(['1', '2', '3', '4'].map(subscribe));
    const made = all.filter(({ status }) => status === 200);
    expect(made, 'at once').to.have.length(2);
    const refused = all.find(({ status }) => status !== 200)!;
    expect(refused.status).to.equal(409);
    expect(JSON.stringify(refused.body)).to.include(FULL_SUBSCRIPTIONS);
    const again = String(all.findIndex(({ status }) => status === 200) + 1);
    expect(okBody(await subscribe(again))).to.deep.equal(okBody(all[Number(again) - 1]!));
  });
});
