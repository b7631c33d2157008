import { expect } from 'chai';
import type { OverviewView, TroubledServer, TroubleGroup } from '../../../src/console/shapes.js';
import { countFleet } from '../../../src/policy/fleet/fleet-counts.js';
import { keptTallies } from '../../../src/policy/fleet/kept-tallies.js';
import { createOverview } from '../../../src/console/views/overview.js';
import { patternOf } from '../../../src/console/views/troubled-servers.js';
import { factPauses, ratesBetween } from '../../../src/console/views/rates.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { apiClient, type ApiClient, request } from '../../e2e/api-client.js';
import {
  addGeneric,
  addRule,
  addSubscribedRule,
  ALWAYS,
  cpu,
  factsBody,
  okBody,
  subscribe,
  windowSize,
} from '../../e2e/policy/actions.js';
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
    expect(view.trouble).to.deep.equal({
      total: { count: 0, more: false },
      unacknowledged: { count: 0, more: false },
      groups: [],
      more: false,
      receivers: { receivers: [], more: false },
    });
    expect(view.setup).to.deep.equal({ rules: false, subscriptions: false, facts: false });
    expect(view.ledger).to.equal(null);
    expect(view.rates).to.deep.equal({ facts: 0, firings: 0, receipts: 0, factsStopped: null });
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

  it('counts servers and deliveries, and names what fires with explain’s sentence and its value', async () => {
    const { url, api } = await open.service();
    const dead = await open.receiver((response) => response.writeHead(404).end());
    await windowSize(api, 1);
    await cpu(api, 'idle', 1);
    const { ruleId } = await addSubscribedRule(api, 'hot', dead.origin);
    await addSubscribedRule(api, 'new', dead.origin);
    await cpu(api, 'hot', 95);
    const view = await until(
      url,
      ({ trouble, deliveries }) => trouble.receivers.receivers.length === 1 && deliveries.dead.count === 1,
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
    const [{ since, sentence, subscriptionId }] = explained['subscriptions'] as unknown as [
      { since: string; sentence: string; subscriptionId: string },
    ];
    const { groups, total, unacknowledged } = view.trouble;
    const [{ tenantId, first, ...group }] = groups as [(typeof groups)[0]];
    expect(tenantId).to.match(/^[0-9a-f]{32}$/);
    expect(group).to.deep.equal({
      ruleName: 'always',
      state: 'firing',
      since,
      servers: 1,
      acknowledged: 0,
      muted: 0,
      pattern: 'hot',
      more: false,
    });
    expect(first).to.deep.equal([
      {
        tenantId,
        serverId: 'hot',
        state: 'firing',
        since,
        rule: { id: ruleId, name: 'always' },
        subscriptionId,
        sentence,
        comparison: { metric: 'cpu', result: 95, operand: 'greater equal', value: 0 },
        labels: {},
        lastFact: { id: 1, at: first[0]!.lastFact!.at },
        marks: { muted: 0, suspended: 0, acknowledged: 0 },
        unacknowledged: [subscriptionId],
      },
    ]);
    expect(unacknowledged).to.deep.equal({ count: 1, more: false });
    // The server, and the receiver that refused.
    expect(total).to.deep.equal({ count: 2, more: false });
    const { lines, rules } = view.changes;
    expect(lines.firing.reduce((sum, one) => sum + one)).to.equal(1);
    expect(rules).to.deep.equal([{ tenantId, name: 'always', firing: 1, noData: 0 }]);
    expect(view.deliveries.waiting).to.deep.equal({ count: 0, more: false });
    expect(view.rates!.facts).to.be.above(0);
  });

  it('groups servers by rule and state: firing first, then the severer, then the older', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const info = await addGeneric(api, { ...ALWAYS, name: 'room', labels: { severity: 'info' } });
    const critical = await addGeneric(api, { ...ALWAYS, name: 'melting', labels: { severity: 'critical' } });
    const silent = await addGeneric(api, { ...ALWAYS, name: 'heartbeat', noData: 10 });
    for (const [ruleId, servers] of [
      [info, ['web-2', 'web-1', 'web-3']],
      [critical, ['db-1']],
      [silent, ['job-1']],
    ] as const) {
      for (const server of servers) {
        await subscribe(api, server, ruleId, 'http://127.0.0.1:9/');
        await cpu(api, server, 95);
      }
    }
    await eventually(
      async () => (await as(url)).servers.noData.count || undefined,
      SOON_MS,
      () => 'the server that is silent is not counted',
    );
    const { trouble, servers } = await as(url);
    expect(servers.firing.count).to.equal(4);
    expect(
      trouble.groups.map(({ state, ruleName, first }) =>
        [state, ruleName, ...first.map(({ serverId }) => serverId)].join(' '),
      ),
    ).to.deep.equal(['firing melting db-1', 'firing room web-2 web-1 web-3', 'noData heartbeat job-1']);
    const [{ comparison, sentence }] = trouble.groups[2]!.first as [TroubledServer];
    expect(comparison?.result).to.equal(95);
    expect(sentence).to.match(/^No data: the last measurement came at /);
    // A group that somebody looks after comes last.
    const [id] = trouble.groups[0]!.first[0]!.unacknowledged;
    okBody(await api.call('PUT', `/v1.0/demo/servers/db-1/subscription/${id}/ack`, {}));
    const later = await until(url, (view) => view.trouble.groups[0]?.ruleName !== 'melting');
    expect(later.trouble.groups.map(({ ruleName }) => ruleName)).to.deep.equal([
      'room',
      'heartbeat',
      'melting',
    ]);
  });

  it('takes acknowledged servers out of the number of those in trouble, and puts them last', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const taking = await open.receiver();
    const ids: string[] = [];
    for (const server of ['web-1', 'web-2']) {
      const { subscriptionId } = await addSubscribedRule(api, server, taking.origin);
      ids.push(subscriptionId);
      await cpu(api, server, 95);
    }
    await until(url, ({ trouble }) => trouble.total.count === 2);
    expect(okBody(await request(`${url}/console/api/trouble`, 'GET'))).to.deep.equal({
      count: 2,
      more: false,
    });
    okBody(await api.call('PUT', `/v1.0/demo/servers/web-1/subscription/${ids[0]}/ack`, {}));
    const { trouble } = await until(url, (view) => view.trouble.total.count === 1);
    const [{ servers, acknowledged, first }] = trouble.groups as [TroubleGroup];
    expect([servers, acknowledged]).to.deep.equal([2, 1]);
    expect(first.map(({ serverId, marks }) => `${serverId} ${marks.acknowledged}`)).to.deep.equal([
      'web-2 0',
      'web-1 1',
    ]);
    expect(okBody(await request(`${url}/console/api/trouble`, 'GET'))).to.deep.equal({
      count: 1,
      more: false,
    });
  });

  it('counts the servers that are muted, for themselves or by a quiet time of their rule', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const taking = await open.receiver();
    const ids: string[] = [];
    for (const server of ['web-1', 'web-2', 'web-3', 'db-1']) {
      const { subscriptionId } = await addSubscribedRule(api, server, taking.origin);
      ids.push(subscriptionId);
      await cpu(api, server, 95);
    }
    const quiet = (name: string, body: object) => api.call('PUT', `/v1.0/demo/quiet/${name}`, body);
    okBody(await quiet('now', { servers: ['web-1', 'web-2'], rules: ['always'], duration: 3600 }));
    okBody(await quiet('elsewhere', { servers: ['*'], rules: ['another'], duration: 3600 }));
    okBody(await api.call('PUT', `/v1.0/demo/servers/web-3/subscription/${ids[2]}/mute`, { for: 60 }));
    const { servers, trouble } = await until(url, (view) => view.servers.firing.muted === 3);
    expect(servers.firing.count).to.equal(4);
    expect(trouble.groups.map(({ muted }) => muted)).to.deep.equal([3]);
    okBody(await api.call('DELETE', '/v1.0/demo/quiet/now'));
    await until(url, (view) => view.servers.firing.muted === 1 && view.trouble.groups[0]!.muted === 1);
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
    expect(view.trouble.groups).to.deep.equal([]);
    expect([view.changes.lines.firing.every((count) => count === 0), view.changes.rules]).to.deep.equal([
      true,
      [],
    ]);
    expect(okBody(await other.call('GET', '/console/api/trouble'))).to.deep.equal({ count: 0, more: false });
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
    const { view: overview } = createOverview({
      store: counted,
      fleet: { counts: (tenant) => countFleet(keptTallies(store), tenant) },
      troubledServers: async () => ({ groups: [], more: false, muted: { firing: 0, noData: 0 } }),
      receivers: { inTrouble: async () => ({ receivers: [], count: 0 }) },
      rates: {
        read: () => ({ facts: 0, firings: 0, receipts: 0, factsStopped: null }),
        close: async () => {},
      },
      changes: () => ({
        since: '',
        stepSeconds: 900,
        lines: { firing: [], noData: [], pending: [], calm: [] },
        rules: [],
      }),
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

describe('facts that stop', () => {
  /** Takes samples each second: `facts` returns the facts until that second. Returns the seconds at which they have stopped. */
  const stops = (seconds: number, facts: (second: number) => number): readonly number[] => {
    const at = (second: number) => ({
      at: 1_000 * second,
      totals: { facts: facts(second), firings: 0, receipts: 0, transitions: 0 },
    });
    const pauses = factPauses(at(0));
    return Array.from({ length: seconds }, (_, i) => i + 1).filter((second) => {
      pauses.add(at(second));
      return pauses.stopped(1_000 * second) !== null;
    });
  };

  it('are seen ten seconds after facts that flowed', () => {
    expect(stops(40, (second) => Math.min(second, 20))[0]).to.equal(31);
  });

  it('are not seen in the pauses of facts that come each half minute, but after two of them', () => {
    expect(stops(900, (second) => Math.floor(second / 30))).to.deep.equal([]);
    expect(stops(1_000, (second) => Math.min(20, Math.floor(second / 30)))[0]).to.equal(600 + 61);
  });

  it('are not seen of a few facts, nor before the first, until a minute has passed', () => {
    expect(stops(70, (second) => Math.min(second, 5))[0]).to.equal(66);
    expect(stops(70, () => 0)[0]).to.equal(61);
  });

  it('are seen again as soon after they were stopped for long', () => {
    const gone = (second: number): number =>
      second < 20 ? second : second < 300 ? 20 : Math.min(second, 320);
    expect(stops(340, gone).filter((second) => second > 300)).to.deep.equal([
      331, 332, 333, 334, 335, 336, 337, 338, 339, 340,
    ]);
  });
});

describe('the pattern of servers in trouble', () => {
  it('is their beginning, without a number that is cut', () => {
    expect(patternOf(['web-1', 'web-10', 'web-12'])).to.equal('web-*');
    expect(patternOf(['db-main.eu', 'db-main.us'])).to.equal('db-main.*');
    expect(patternOf(['web-1'])).to.equal('web-1');
    expect(patternOf(['web-1', 'db-1'])).to.equal(null);
    expect(patternOf(['1', '12'])).to.equal(null);
  });
});
