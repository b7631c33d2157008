import { expect } from 'chai';
import type { ServerView, TrendView } from '../../../src/console/shapes.js';
import type { FleetView } from '../../../src/policy/fleet/shapes.js';
import { receiverId } from '../../../src/delivery/receiver/receiver-machine.js';
import type { ExplainedSubscription, HistoryView } from '../../../src/policy/explain/shapes.js';
import { apiClient, type ApiClient, request } from '../../e2e/api-client.js';
import {
  addGeneric,
  addRule,
  addSubscribedRule,
  cpu,
  okBody,
  subscribe,
  windowSize,
} from '../../e2e/policy/actions.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';

const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

describe('the console’s view of a server', () => {
  const open = scenes();
  let url: string;
  let api: ApiClient;
  let tenant: string;
  const path = (server: string): string => `/console/api/servers/${tenant}/${server}`;
  const view = async (server: string): Promise<ServerView> =>
    okBody(await request(url + path(server), 'GET')) as unknown as ServerView;

  beforeEach(async () => {
    ({ url, api } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' }));
    await windowSize(api, 2);
    await cpu(api, 'web-1', 10);
    const list = okBody(await request(`${url}/console/api/servers`, 'GET')) as unknown as FleetView;
    tenant = list.servers[0]!.tenantId;
  });

  it('shows state, windows and the machine’s own states', async () => {
    await cpu(api, 'web-1', 20.5);
    const shown = await view('web-1');
    expect(shown).to.deep.include({
      tenantId: tenant,
      serverId: 'web-1',
      state: 'unwatched',
      factId: 2,
      windowsize: 2,
      rules: [],
    });
    expect(shown.windows['cpu']).to.deep.equal({ size: 2, values: [10, 20.5], at: shown.lastFactAt });
    expect(shown.windows['net']).to.deep.equal({ size: 2, values: [], at: null });
    expect(Date.now() - Date.parse(shown.lastFactAt!)).to.be.within(-1_000, 60_000);
    const states = ['firing', 'noData', 'pending', 'filling', 'calm', 'unwatched'];
    expect(shown.chart.states).to.deep.equal(states);
    expect(shown.chart.transitions).to.have.length(30);
    expect(shown.chart.transitions).to.deep.include({ from: 'calm', to: 'firing' });
    const actor = okBody(await request(`${url}/operator/actors/server/${tenant}/web-1`, 'GET'));
    expect(shown.revision).to.equal(actor['revision']);
  });

  it('has each rule with explain’s own words, the server’s and the tenant’s that is used here', async () => {
    const { ruleId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    const unused = await addRule(api, 'web-1', { ...BUSY, name: 'unused' });
    const generic = await addGeneric(api, { ...BUSY, name: 'generic' });
    await addGeneric(api, { ...BUSY, name: 'elsewhere' });
    await subscribe(api, 'web-1', generic, 'http://127.0.0.1:9/generic');
    for (const value of [90, 95]) await cpu(api, 'web-1', value);
    const shown = await view('web-1');
    expect(shown.state).to.equal('firing');
    expect(shown.rules.map((rule) => [rule.ruleId, rule.name, rule.generic])).to.deep.equal([
      [ruleId, 'busy', false],
      [unused, 'unused', false],
      [generic, 'generic', true],
    ]);
    for (const rule of shown.rules) {
      const explained = okBody(
        await api.call('GET', `/v1.0/demo/servers/web-1/rules/${rule.ruleId}/explain`),
      );
      const subscriptions = explained['subscriptions'] as unknown as readonly ExplainedSubscription[];
      expect(rule.subscriptions).to.deep.equal(
        subscriptions.map((one) => ({ ...one, receiverId: receiverId(tenant, one.url), form: {} })),
      );
      expect(rule.sentence).to.equal((explained['sentence'] as unknown) ?? null);
      expect(rule.condition).to.deep.equal(BUSY.condition);
      expect(rule.action).to.deep.equal(BUSY.action);
    }
  });

  it('has 100 rules, of those without a subscription the newest, and the first 10 subscriptions of each, and says how many there are', async () => {
    const path = '/v1.0/demo/servers/web-1/rules';
    const rules = Array.from({ length: 101 }, (_, i) => ({ ...BUSY, name: `rule ${i}` }));
    const made = okBody(await api.call('POST', path, rules)) as unknown as { rules: { ruleId: string }[] };
    for (let i = 0; i < 11; i += 1)
      await subscribe(api, 'web-1', made.rules[1]!.ruleId, `http://127.0.0.1:9/${i}`);
    const shown = await view('web-1');
    expect([shown.ruleCount, shown.rules.length]).to.deep.equal([101, 100]);
    expect(shown.rules.at(-1)!.name).to.equal('rule 100');
    const [many, none] = shown.rules;
    expect([none!.subscriptionCount, none!.subscriptions.length, none!.sentence]).to.deep.equal([
      0,
      0,
      'Not evaluated: no subscription of this server has this rule.',
    ]);
    expect([many!.subscriptionCount, many!.subscriptions.length, many!.sentence]).to.deep.equal([
      11,
      10,
      null,
    ]);
  });

  it('has the history as the policy API has it', async () => {
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    for (const value of [90, 95, 1, 1]) await cpu(api, 'web-1', value);
    const history = okBody(await request(`${url}${path('web-1')}/history`, 'GET')) as unknown as HistoryView;
    expect(history.history.map(({ from, to }) => `${from} ${to}`)).to.deep.equal([
      'firing calm',
      'calm firing',
      'filling calm',
    ]);
    expect(history).to.deep.equal(okBody(await api.call('GET', '/v1.0/demo/servers/web-1/history')));
    const one = okBody(await request(`${url}${path('web-1')}/history?limit=1`, 'GET'));
    expect(one).to.deep.equal({ history: history.history.slice(0, 1) });
    const wrong = await request(`${url}${path('web-1')}/history?limit=201`, 'GET');
    expectRefusal(wrong, 400, 'limit');
  });

  it('has the trend as the policy API has it, of all watched metrics', async () => {
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    for (const value of [90, 95]) await cpu(api, 'web-1', value);
    const trend = okBody(await request(`${url}${path('web-1')}/trend`, 'GET')) as unknown as TrendView;
    const cpuTrend = okBody(await api.call('GET', '/v1.0/demo/servers/web-1/trend?metric=cpu'));
    expect(trend).to.deep.equal({ kept: true, trends: [cpuTrend] });
    expect(trend.trends[0]!.buckets.reduce((sum, { count }) => sum + count, 0)).to.equal(2);
    const off = await open.service({ TREND: 'off' });
    await addSubscribedRule(off.api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    await cpu(off.api, 'web-1', 90);
    const none = okBody(await off.api.call('GET', `${path('web-1')}/trend`));
    expect(none).to.deep.equal({ kept: false, trends: [{ metric: 'cpu', buckets: [] }] });
  });

  it('exists for its own tenant and for operators', async () => {
    okBody(await api.call('GET', path('web-1')));
    const other = await apiClient(url, 'other', 'olga', 'pass');
    for (const end of ['', '/history', '/trend']) {
      expectRefusal(await other.call('GET', path('web-1') + end), 404, 'serverId: no server web-1 is known');
      expectRefusal(await request(`${url}${path('missing')}${end}`, 'GET'), 404, 'no server missing');
    }
  });

  it('of its own tenant may be new: without rules and values, revision 0', async () => {
    const shown = okBody(await api.call('GET', path('missing'))) as unknown as ServerView;
    expect(shown).to.deep.include({
      serverId: 'missing',
      state: 'unwatched',
      revision: 0,
      factId: 0,
      rules: [],
    });
    expect(shown).to.deep.include({ lastFactAt: null, windowsize: 2, ruleCount: 0 });
    expect(shown.windows['mem']).to.deep.equal({ size: 2, values: [], at: null });
    expect(shown).to.have.all.keys(Object.keys(await view('web-1')));
    expect(okBody(await api.call('GET', `${path('missing')}/history`))).to.deep.equal({ history: [] });
    expectRefusal(await api.call('GET', path('a%20b')), 404, 'no server a b is known');
    const list = okBody(await api.call('GET', '/console/api/servers')) as unknown as FleetView;
    expect(list.servers.map(({ serverId }) => serverId)).to.deep.equal(['web-1']);
  });

  it('takes ids with dots and colons as they are', async () => {
    await cpu(api, 'urn:host:a.b~c.json.json', 5);
    expect((await view('urn:host:a.b~c.json')).serverId).to.equal('urn:host:a.b~c.json');
  });
});
