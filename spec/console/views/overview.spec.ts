import { expect } from 'chai';
import type { OverviewView } from '../../../src/console/shapes.js';
import { createOverview } from '../../../src/console/views/overview.js';
import { ratesBetween } from '../../../src/console/views/rates.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { apiClient, type ApiClient, request } from '../../e2e/api-client.js';
import { addRule, addSubscribedRule, cpu, factsBody, okBody, windowSize } from '../../e2e/policy/actions.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';

const PATH = '/console/api/overview';

describe('the console’s overview', () => {
  const open = scenes();

  const as = async (url: string, client?: ApiClient): Promise<OverviewView> =>
    okBody(await (client === undefined ? request(url + PATH, 'GET') : client.call('GET', PATH))) as never;

  /** Reads until the overview is as a spec wants it: one is kept for a moment. */
  const until = (
    url: string,
    isSo: (view: OverviewView) => boolean,
    client?: ApiClient,
  ): Promise<OverviewView> => {
    let last: OverviewView | undefined;
    const ask = async (): Promise<OverviewView | undefined> => {
      last = await as(url, client);
      return isSo(last) ? last : undefined;
    };
    return eventually(ask, SOON_MS, () => JSON.stringify(last));
  };

  it('of an empty service says that nothing is there', async () => {
    const { url } = await open.service();
    const view = await as(url);
    expect(view.firing).to.deep.equal({
      total: { count: 0, more: false },
      first: [],
      more: false,
      compared: null,
    });
    expect(view.setup).to.deep.equal({ rules: false, subscriptions: false, facts: false });
    expect(view.ledger).to.equal(null);
    expect(view.rates).to.deep.equal({ facts: 0, firings: 0, receipts: 0 });
    expectRefusal(await request(`${url}${PATH}?tenant=x`, 'GET'), 400, 'is no parameter here; allowed: none');
  });

  it('follows the setup step by step', async () => {
    const { url, api } = await open.service();
    await addRule(api, 'web-1');
    await until(url, ({ setup }) => setup.rules && !setup.subscriptions && !setup.facts);
    await cpu(api, 'web-1', 1);
    await until(url, ({ setup }) => setup.facts && !setup.subscriptions);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
    await until(url, ({ setup }) => setup.rules && setup.subscriptions && setup.facts);
  });

  it('counts servers and deliveries, and names what fires with explain’s sentence', async () => {
    const { url, api } = await open.service();
    const dead = await open.receiver((response) => response.writeHead(404).end());
    await windowSize(api, 1);
    await cpu(api, 'idle', 1);
    const { ruleId } = await addSubscribedRule(api, 'hot', dead.origin);
    await addSubscribedRule(api, 'new', dead.origin);
    await cpu(api, 'hot', 95);
    const view = await until(
      url,
      ({ firing, deliveries }) => firing.first.length === 1 && deliveries.dead.count === 1,
    );
    expect(Object.entries(view.servers).map(([state, { count }]) => `${state} ${count}`)).to.deep.equal([
      'firing 1',
      'noData 0',
      'pending 0',
      'filling 1',
      'calm 0',
      'unwatched 1',
    ]);
    const explained = okBody(await api.call('GET', `/v1.0/demo/servers/hot/rules/${ruleId}/explain`));
    const [{ since, sentence }] = explained['subscriptions'] as unknown as [
      { since: string; sentence: string },
    ];
    const { tenantId, ...first } = view.firing.first[0]!;
    expect(tenantId).to.match(/^[0-9a-f]{32}$/);
    expect(first).to.deep.equal({
      serverId: 'hot',
      ruleId,
      ruleName: 'always',
      subscriptions: 1,
      since,
      sentence,
    });
    expect(view.firing.total).to.deep.equal({ count: 1, more: false });
    expect(view.deliveries.waiting).to.deep.equal({ count: 0, more: false });
    expect(view.rates!.facts).to.be.above(0);
  });

  it('names the rules that began last, wherever their servers are in the order of ids, and each rule once', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const ids = Array.from({ length: 24 }, (_, i) => `web-${String(i).padStart(2, '0')}`);
    for (const id of ids) {
      await addSubscribedRule(api, id, 'http://127.0.0.1:9/');
      await cpu(api, id, 95);
    }
    const { ruleId } = await addSubscribedRule(api, 'zz-newest', 'http://127.0.0.1:9/');
    const wanted = { ruleId, url: 'http://127.0.0.1:9/other' };
    okBody(await api.call('POST', '/v1.0/demo/servers/zz-newest/subscription', wanted));
    await cpu(api, 'zz-newest', 95);
    const { firing } = await until(url, (view) => view.firing.total.count === 25);
    expect(firing.first.map(({ serverId, subscriptions }) => `${serverId} ${subscriptions}`)).to.deep.equal([
      'zz-newest 2',
      ...ids
        .slice(-9)
        .toReversed()
        .map((id) => `${id} 1`),
    ]);
    expect([firing.more, firing.compared]).to.deep.equal([true, null]);
  });

  it('shows a tenant its own, and nothing of the service', async () => {
    const { url, api } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const other = await apiClient(url, 'other', 'olga', 'pass');
    await windowSize(api, 1);
    await addSubscribedRule(api, 'hot', 'http://127.0.0.1:9/');
    await cpu(api, 'hot', 95);
    await other.call('GET', '/v1.0/other');
    okBody(await other.call('POST', '/other/servers/mine', factsBody({ cpuLoadPct: 1 })));
    const view = await until(url, ({ servers }) => servers.unwatched.count === 1, other);
    expect(view.servers.firing.count).to.equal(0);
    expect(view.firing.first).to.deep.equal([]);
    expect([view.rates, view.refusedLastHour, view.ledger, view.dependencies]).to.deep.equal([
      null,
      null,
      null,
      [],
    ]);
    expect(view.deliveries.waiting.count + view.deliveries.dead.count).to.equal(0);
  });
});

describe('an overview that many consoles read', () => {
  it('is made once for all of one tenant', async () => {
    const store = memoryStore();
    let counts = 0;
    const counted = { ...store, count: (): Promise<number> => Promise.resolve((counts += 1)) };
    let clock = 0;
    const overview = createOverview({
      store: counted,
      tenants: {} as never,
      rates: { read: () => ({ facts: 0, firings: 0, receipts: 0 }), close: async () => {} },
      refusedLastHour: () => 0,
      ledger: undefined,
      dependencies: () => [],
      now: () => clock,
    });
    await Promise.all(Array.from({ length: 10 }, () => overview(undefined)));
    const once = counts;
    await overview(undefined);
    expect(counts).to.equal(once);
    await overview('t');
    expect(counts).to.equal(2 * once);
    clock += 2_000;
    await overview(undefined);
    expect(counts).to.equal(3 * once);
  });
});

describe('rates', () => {
  const totals = (facts: number) => ({ facts, firings: 2 * facts, receipts: 0, transitions: 0 });

  it('are per second, with one decimal', () => {
    const [first, last] = [
      { at: 1_000, totals: totals(10) },
      { at: 11_000, totals: totals(23) },
    ];
    expect(ratesBetween(first, last)).to.deep.equal({ facts: 1.3, firings: 2.6, receipts: 0 });
  });

  it('are finite if the clock stands still or is set back', () => {
    for (const at of [1_000, 500]) {
      const rates = ratesBetween({ at: 1_000, totals: totals(0) }, { at, totals: totals(4) });
      expect(rates).to.deep.equal({ facts: 4, firings: 8, receipts: 0 });
    }
  });
});
