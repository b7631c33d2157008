import { expect } from 'chai';
import type { RulesStatusView, RuleStatus } from '../../../src/policy/fleet/shapes.js';
import { apiClient, type ApiClient } from '../api-client.js';
import { until } from '../../ledger/scene.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';
import { addGeneric, addRule, addSubscribedRule, cpu, okBody, subscribe, windowSize } from './actions.js';

const RECEIVER = 'http://127.0.0.1:9/';
const rule = (name: string, more: object = {}) => ({
  name,
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
  ...more,
});
const NOWHERE = { firing: 0, noData: 0, pending: 0, filling: 0, calm: 0 };

describe('the states of rules', () => {
  const open = scenes();
  const read = async (api: ApiClient, path: string): Promise<RulesStatusView> =>
    okBody(await api.call('GET', path)) as unknown as RulesStatusView;
  const shown = ({ rules }: RulesStatusView) => rules.map(({ name, states }) => ({ name, ...states }));

  async function stage(settings: Readonly<Record<string, string>> = {}) {
    const scene = await open.service(settings);
    const { api } = scene;
    await windowSize(api, 1);
    const labels = { severity: 'critical' };
    const busy = await addGeneric(api, rule('busy', { labels }));
    const unbound = await addGeneric(api, rule('unbound'));
    for (const server of ['one', 'two', 'three', 'four']) await subscribe(api, server, busy, RECEIVER);
    await subscribe(api, 'one', busy, 'http://127.0.0.1:9/other');
    const own = await addSubscribedRule(api, 'one', RECEIVER, rule('own', { for: 60, labels }));
    await addRule(api, 'one', rule('own, unbound'));
    await cpu(api, 'one', 99);
    await cpu(api, 'two', 99);
    await cpu(api, 'three', 1);
    return { ...scene, busy, unbound, own };
  }

  it('count each server once for a rule, of the tenant and of servers', async () => {
    const { api, busy, unbound, own } = await stage();
    const { rules, next } = await read(api, '/v1.0/demo/rules-status');
    const labels = { severity: 'critical' };
    const tenantId = rules[0]!.tenantId;
    expect(tenantId).to.match(/\S/);
    expect(rules).to.deep.equal([
      {
        tenantId,
        serverId: null,
        ruleId: busy,
        name: 'busy',
        labels,
        states: { ...NOWHERE, firing: 2, filling: 1, calm: 1 },
      },
      { tenantId, serverId: null, ruleId: unbound, name: 'unbound', labels: {}, states: NOWHERE },
      {
        tenantId,
        serverId: 'one',
        ruleId: own.ruleId,
        name: 'own',
        labels,
        states: { ...NOWHERE, pending: 1 },
      },
    ]);
    expect(next).to.equal(null);
    expect(await read(api, '/operator/rules')).to.deep.equal({ rules, next });
  });

  it('follow facts, subscriptions and rules', async () => {
    const { api, busy, own } = await stage();
    const first = async () => (await read(api, '/v1.0/demo/rules-status')).rules[0]!.states;
    await cpu(api, 'two', 1);
    await until(async () =>
      expect(await first()).to.deep.equal({ ...NOWHERE, firing: 1, filling: 1, calm: 2 }),
    );
    const [{ subscriptionId }] = (
      okBody(await api.call('GET', '/v1.0/demo/fleet?query=four')) as never as {
        servers: [{ subscriptionId: string }];
      }
    ).servers;
    okBody(await api.call('DELETE', `/v1.0/demo/servers/four/subscription/${subscriptionId}`));
    okBody(await api.call('DELETE', `/v1.0/demo/servers/one/rules/${own.ruleId}`));
    await until(async () =>
      expect(shown(await read(api, '/v1.0/demo/rules-status'))).to.deep.equal([
        { name: 'busy', ...NOWHERE, firing: 1, calm: 2 },
        { name: 'unbound', ...NOWHERE },
      ]),
    );
    okBody(await api.call('DELETE', `/v1.0/demo/rules/${busy}`));
    await until(async () =>
      expect(shown(await read(api, '/operator/rules'))).to.deep.equal([{ name: 'unbound', ...NOWHERE }]),
    );
  });

  it('list each rule once in pages, of one tenant or of all', async () => {
    const { url, api } = await stage({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const other = await apiClient(url, 'other', 'olga', 'pass');
    for (const name of ['theirs', 'too']) okBody(await other.call('POST', '/v1.0/other/rules', rule(name)));
    for (const path of ['/v1.0/demo/rules-status', '/operator/rules', '/operator/rules?tenant=other']) {
      const { rules } = await read(api, path);
      expect(rules.length, path).to.equal(
        path.endsWith('other') ? 2 : path.endsWith('s') && path.startsWith('/o') ? 5 : 3,
      );
      for (const limit of [1, 2, 3]) {
        const walked: RuleStatus[] = [];
        for (let next: string | null = ''; next !== null;) {
          const page: RulesStatusView = await read(
            api,
            `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&after=${next}`,
          );
          expect(page.rules.length).to.be.at.most(limit);
          walked.push(...page.rules);
          next = page.next;
        }
        expect(walked, `${path} limit ${limit}`).to.deep.equal(rules);
      }
    }
    expect(shown(await read(other, '/v1.0/other/rules-status')).map(({ name }) => name)).to.deep.equal([
      'theirs',
      'too',
    ]);
    expect((await read(api, '/operator/rules?tenant=nobody')).rules).to.deep.equal([]);
    const { next } = await read(api, '/v1.0/demo/rules-status?limit=1');
    expectRefusal(await other.call('GET', `/v1.0/other/rules-status?after=${next}`), 400, 'after: ');
    expect((await api.call('GET', '/v1.0/other/rules-status')).status).to.be.oneOf([401, 403, 404]);
  });

  for (const [query, message] of [
    ['limit=0', 'limit: must be an integer from 1 to 1000'],
    ['after=x', 'after: must be the `next` of a page'],
    ['state=firing', 'is no parameter here'],
  ] as const) {
    it(`refuse ${query}`, async () => {
      const { api } = await open.service();
      for (const path of ['/v1.0/demo/rules-status', '/operator/rules']) {
        expectRefusal(await api.call('GET', `${path}?${query}`), 400, message);
      }
    });
  }
});
