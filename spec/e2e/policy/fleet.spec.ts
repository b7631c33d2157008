import { expect } from 'chai';
import type { OverviewView } from '../../../src/console/shapes.js';
import type { FleetServer, FleetView } from '../../../src/policy/fleet/shapes.js';
import { apiClient } from '../api-client.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';
import { until } from '../../ledger/scene.js';
import { addGeneric, addSubscribedRule, cpu, okBody, subscribe, windowSize } from './actions.js';

const RECEIVER = 'http://127.0.0.1:9/';
const busy = (more: object = {}) => ({
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
  ...more,
});

describe('the lists of servers', () => {
  const open = scenes();

  async function stage(settings: Readonly<Record<string, string>> = {}) {
    let now = Date.parse('2026-11-21T10:00:00Z');
    const service = await open.service(settings, () => now);
    const { api } = service;
    await windowSize(api, 1);
    const page = async (query = '', path = '/v1.0/demo/fleet'): Promise<FleetView> =>
      okBody(await api.call('GET', `${path}?${query}`)) as unknown as FleetView;
    return {
      ...service,
      pass: (seconds: number): void => void (now += seconds * 1_000),
      page,
      names: async (query = '', path?: string) =>
        (await page(query, path)).servers.map(({ serverId }) => serverId),
      walk: async (query: string, path?: string): Promise<readonly FleetServer[]> => {
        const found: FleetServer[] = [];
        for (let next: string | null = ''; next !== null;) {
          const one: FleetView = await page(`${query}&after=${next}`, path);
          found.push(...one.servers);
          next = one.next;
        }
        return found;
      },
    };
  }

  /** Servers in every state, with the times at which they got into it. */
  async function fleet(settings: Readonly<Record<string, string>> = {}) {
    const scene = await stage(settings);
    const { api, pass } = scene;
    const ruleId = await addGeneric(api, busy({ for: 60, repeat: 0 }));
    await cpu(api, 'unwatched', 1);
    for (const name of ['calm', 'fires-later', 'fires-first', 'pends', 'fills']) {
      await subscribe(api, name, ruleId, RECEIVER);
    }
    await cpu(api, 'calm', 1);
    await cpu(api, 'fires-first', 90);
    pass(10);
    await cpu(api, 'fires-later', 90);
    pass(60);
    await cpu(api, 'fires-first', 91);
    await cpu(api, 'fires-later', 92);
    await cpu(api, 'pends', 93);
    return { ...scene, ruleId };
  }

  const WORST_FIRST = ['fires-first', 'fires-later', 'pends', 'fills', 'calm', 'unwatched'];

  it('show the worst first, in a state the oldest first, to tenants and operators', async () => {
    const { names, page } = await fleet();
    expect(await names()).to.deep.equal(WORST_FIRST);
    expect(await names('', '/operator/servers')).to.deep.equal(WORST_FIRST);
    const { servers } = await page();
    expect(servers.map(({ state }) => state)).to.deep.equal([
      'firing',
      'firing',
      'pending',
      'filling',
      'calm',
      'unwatched',
    ]);
    expect(servers.map(({ since }) => since?.slice(11, 19) ?? null)).to.deep.equal([
      '10:00:00',
      '10:00:10',
      '10:01:10',
      null,
      null,
      null,
    ]);
  });

  it('say what is wrong with a server, as explain does', async () => {
    const { api, page, ruleId } = await fleet();
    const { servers } = await page();
    const path = `/v1.0/demo/servers/fires-first/rules/${ruleId}/explain`;
    const explained = okBody(await api.call('GET', path)) as never as {
      subscriptions: { subscriptionId: string; sentence: string }[];
    };
    const { tenantId, waiting, dead, ...row } = servers[0]!;
    expect([typeof tenantId, typeof waiting, typeof dead]).to.deep.equal(['string', 'number', 'number']);
    expect(row).to.deep.equal({
      serverId: 'fires-first',
      state: 'firing',
      since: '2026-11-21T10:00:00.000Z',
      rule: { id: ruleId, name: 'busy' },
      subscriptionId: explained.subscriptions[0]!.subscriptionId,
      sentence: explained.subscriptions[0]!.sentence,
      labels: {},
      comparison: { metric: 'cpu', result: 91, operand: 'greater', value: 85 },
      lastFact: { id: 2, at: '2026-11-21T10:01:10.000Z' },
      marks: { muted: 0, suspended: 0, acknowledged: 0 },
    });
    const { tenantId: _, ...unwatched } = servers.at(-1)!;
    expect(unwatched).to.deep.equal({
      serverId: 'unwatched',
      state: 'unwatched',
      since: null,
      rule: null,
      subscriptionId: null,
      sentence: null,
      labels: {},
      comparison: null,
      lastFact: { id: 1, at: '2026-11-21T10:00:00.000Z' },
      marks: { muted: 0, suspended: 0, acknowledged: 0 },
      waiting: 0,
      dead: 0,
    });
  });

  it('show of several subscriptions the worst: its state, its severity, then the oldest', async () => {
    const { api, page, pass } = await stage();
    const rule = (name: string, severity: string | undefined, limit: number) =>
      busy({
        name,
        condition: { cpu: { value: limit, operand: 'greater' } },
        ...(severity !== undefined && { labels: { severity } }),
      });
    const worst = async () => (await page()).servers[0]!.rule?.name;
    await addSubscribedRule(api, 'web', RECEIVER, rule('calm critical', 'critical', 99));
    await addSubscribedRule(api, 'web', RECEIVER, rule('old plain', undefined, 10));
    await cpu(api, 'web', 20);
    expect(await worst()).to.equal('old plain');
    pass(5);
    await addSubscribedRule(api, 'web', RECEIVER, rule('info', 'info', 10));
    await cpu(api, 'web', 20);
    expect(await worst()).to.equal('info');
    pass(5);
    await addSubscribedRule(api, 'web', RECEIVER, rule('later info', 'info', 10));
    const { ruleId } = await addSubscribedRule(api, 'web', RECEIVER, rule('other', 'page', 10));
    await cpu(api, 'web', 20);
    expect(await worst()).to.equal('info');
    const labels = { labels: { severity: 'warning' } };
    okBody(await api.call('PUT', `/v1.0/demo/servers/web/rules/${ruleId}`, labels));
    const [row] = (await page()).servers;
    expect([row!.rule!.name, row!.labels, row!.since]).to.deep.equal([
      'other',
      { severity: 'warning' },
      '2026-11-21T10:00:10.000Z',
    ]);
  });

  it('follow a change of the labels of a generic rule, without another measurement', async () => {
    const { api, page } = await stage();
    const ids = [await addGeneric(api, busy({ name: 'one' })), await addGeneric(api, busy({ name: 'two' }))];
    for (const id of ids) await subscribe(api, 'web', id, RECEIVER);
    await cpu(api, 'web', 99);
    const worst = async () => (await page()).servers[0]!.rule?.name;
    const isWorst = (name: string) => until(async () => expect(await worst()).to.equal(name));
    expect(await worst()).to.equal('one');
    okBody(await api.call('PUT', `/v1.0/demo/rules/${ids[1]}`, { labels: { severity: 'critical' } }));
    await isWorst('two');
    okBody(await api.call('PUT', `/v1.0/demo/rules/${ids[1]}`, { labels: null }));
    await isWorst('one');
  });

  it('sort by time and by name', async () => {
    const { api, names, pass } = await fleet();
    const late = await addGeneric(api, busy({ name: 'at once' }));
    pass(10);
    await subscribe(api, 'fires-last', late, RECEIVER);
    await cpu(api, 'fires-last', 95);
    const byTime = ['fires-first', 'fires-later', 'pends', 'fires-last', 'fills', 'calm', 'unwatched'];
    expect(await names('sort=since')).to.deep.equal(byTime);
    expect(await names('sort=name')).to.deep.equal(byTime.toSorted());
    expect(await names('sort=since&state=firing')).to.deep.equal([
      'fires-first',
      'fires-later',
      'fires-last',
    ]);
    expect(await names('sort=name&state=firing')).to.deep.equal(['fires-first', 'fires-last', 'fires-later']);
  });

  it('find by state, rule, label and text, alone and together', async () => {
    const { api, names, ruleId } = await fleet();
    const labels = { severity: 'critical', team: 'a=b' };
    const own = await addSubscribedRule(api, 'labelled', RECEIVER, busy({ name: 'disk full', labels }));
    expect(await names('state=firing')).to.deep.equal(['fires-first', 'fires-later']);
    expect(await names('state=unwatched')).to.deep.equal(['unwatched']);
    expect(await names('state=noData')).to.deep.equal([]);
    const bound = WORST_FIRST.filter((name) => name !== 'unwatched');
    for (const rule of [ruleId, 'busy']) expect(await names(`rule=${rule}`)).to.deep.equal(bound);
    for (const rule of [own.ruleId, 'disk+full'])
      expect(await names(`rule=${rule}`)).to.deep.equal(['labelled']);
    expect(await names('label=severity=critical')).to.deep.equal(['labelled']);
    expect(await names('label=team=a=b')).to.deep.equal(['labelled']);
    for (const nothing of [
      'label=severity=crit',
      'label=severity=',
      'rule=bus',
      'query=nothing',
      'tenant=no',
    ]) {
      expect((await names(nothing, '/operator/servers')).length, nothing).to.equal(0);
    }
    expect(await names('query=FIRES')).to.deep.equal(['fires-first', 'fires-later']);
    expect(await names('query=disk')).to.deep.equal(['labelled']);
    expect(await names('query=fi&state=filling')).to.deep.equal(['fills']);
    expect(await names('query=first&rule=busy&sort=name')).to.deep.equal(['fires-first']);
  });

  for (const sort of ['state', 'since', 'name']) {
    it(`list each server once in pages by ${sort}, with and without a search`, async () => {
      const { api, page, walk } = await fleet();
      // Since the same time as the one that is pending.
      await subscribe(api, 'fires-last', await addGeneric(api, busy({ name: 'at once' })), RECEIVER);
      await cpu(api, 'fires-last', 95);
      for (const query of [`sort=${sort}`, `sort=${sort}&query=fi`, `sort=${sort}&state=firing`]) {
        for (const path of ['/v1.0/demo/fleet', '/operator/servers']) {
          const { servers } = await page(query, path);
          expect(servers.length).to.be.above(1);
          for (const limit of [1, 2, 4]) {
            const walked = await walk(`${query}&limit=${limit}`, path);
            expect(walked, `${path}?${query}&limit=${limit}`).to.deep.equal(servers);
          }
        }
      }
    });
  }

  for (const sort of ['state', 'since', 'name']) {
    it(`by ${sort} show the moment of the first page on all pages, and a new first page shows now`, async () => {
      const { api, page, names, ruleId } = await fleet();
      const before = await names(`sort=${sort}`);
      const { servers, next } = await page(`sort=${sort}&limit=2`);
      // These would leave the later pages, and come to the earlier ones.
      await cpu(api, 'calm', 99);
      await cpu(api, 'fires-first', 1);
      await cpu(api, 'aa-new', 1);
      await subscribe(api, 'aa-new', ruleId, RECEIVER);
      const rest = await page(`sort=${sort}&limit=50&after=${next}`);
      const shown = [...servers, ...rest.servers];
      expect(shown.map(({ serverId }) => serverId)).to.deep.equal(before);
      expect(shown.find(({ serverId }) => serverId === 'calm')!.state).to.equal('calm');
      expect(await names(`sort=${sort}&limit=3`)).not.to.deep.equal(before.slice(0, 3));
      const now = (await page(`sort=${sort}&limit=50`)).servers;
      expect(now.map(({ serverId }) => serverId)).to.include('aa-new');
      expect(now.find(({ serverId }) => serverId === 'calm')!.state).to.equal('pending');
    });
  }

  it('go on from the place of a page whose moment is not held any more', async () => {
    const folder = await open.folder();
    const scene = await fleet({ DATA_DIR: folder });
    const { next } = await scene.page('limit=2');
    await scene.close();
    const again = await open.service({ DATA_DIR: folder }, () => Date.parse('2026-11-21T10:01:10Z'));
    const path = `/v1.0/demo/fleet?after=${next}`;
    const { servers } = okBody(await again.api.call('GET', path)) as unknown as FleetView;
    expect(servers.map(({ serverId }) => serverId)).to.deep.equal(WORST_FIRST.slice(2));
  });

  it('count marks, waiting messages and dead letters of each server', async () => {
    const { api, page } = await stage({ OPERATOR_TOKEN: 'let-me' });
    const refuses = await open.receiver((response) => response.writeHead(400).end());
    const silent = await open.receiver(() => {});
    const { subscriptionId } = await addSubscribedRule(api, 'one', refuses.origin, busy());
    await addSubscribedRule(api, 'one', silent.origin, busy());
    await addSubscribedRule(api, 'two', refuses.origin, busy());
    await cpu(api, 'one', 90);
    await cpu(api, 'one', 91);
    await cpu(api, 'two', 90);
    const base = `/v1.0/demo/servers/one/subscription/${subscriptionId}`;
    okBody(await api.call('PUT', `${base}/mute`, { for: 60 }));
    okBody(await api.call('PUT', `${base}/ack`, {}));
    const counted = async () =>
      (await page('sort=name')).servers.map(({ marks, waiting, dead }) => ({ ...marks, waiting, dead }));
    await until(async () =>
      expect(await counted()).to.deep.equal([
        { muted: 1, suspended: 0, acknowledged: 1, waiting: 2, dead: 2 },
        { muted: 0, suspended: 0, acknowledged: 0, waiting: 0, dead: 1 },
      ]),
    );
  });

  it('are counted by state with their marks, and those in trouble, on the overview', async () => {
    const { url, api, page, pass } = await fleet({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const overview = async () =>
      okBody(await api.call('GET', '/console/api/overview')) as unknown as OverviewView;
    const [first, second] = (await page()).servers as [FleetServer, FleetServer];
    const at = ({ serverId, subscriptionId }: FleetServer): string =>
      `/v1.0/demo/servers/${serverId}/subscription/${subscriptionId}`;
    const none = { more: false, muted: 0, suspended: 0, acknowledged: 0 };
    const others = { noData: 0, pending: 1, filling: 1, calm: 1, unwatched: 1 };
    const expected = (firing: object, inTrouble: number) => ({
      servers: {
        firing: { count: 2, ...none, ...firing },
        ...Object.fromEntries(Object.entries(others).map(([state, count]) => [state, { count, ...none }])),
      },
      unacknowledged: { count: inTrouble, more: false },
    });
    const seen = async () => {
      // An overview is kept for a moment.
      pass(2);
      const { servers, trouble } = await overview();
      return { servers, unacknowledged: trouble.unacknowledged };
    };
    const becomes = (wanted: object) => until(async () => expect(await seen()).to.deep.equal(wanted));
    await becomes(expected({}, 2));
    okBody(await api.call('PUT', `${at(first)}/ack`, {}));
    okBody(await api.call('PUT', `${at(first)}/mute`, { for: 3_600 }));
    okBody(await api.call('PUT', `${at(second)}/mute`, { for: 3_600 }));
    await becomes(expected({ acknowledged: 1, muted: 2 }, 1));
    okBody(await api.call('DELETE', `${at(first)}/ack`));
    okBody(await api.call('DELETE', `${at(second)}/mute`));
    await becomes(expected({ muted: 1 }, 2));
    const other = await apiClient(url, 'other', 'olga', 'pass');
    const theirs = okBody(await other.call('GET', '/console/api/overview')) as unknown as OverviewView;
    expect(theirs.servers.firing.count).to.equal(0);
  });

  it('show tenants what is theirs alone', async () => {
    const { url, api, names } = await fleet({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const other = await apiClient(url, 'other', 'olga', 'pass');
    okBody(await other.call('POST', '/v1.0/other/servers/theirs/rules', busy()));
    const theirs = okBody(await other.call('GET', '/v1.0/other/fleet')) as unknown as FleetView;
    expect(theirs.servers.map(({ serverId }) => serverId)).to.deep.equal(['theirs']);
    expect(await names()).not.to.include('theirs');
    expect(await names('', '/operator/servers')).to.include('theirs');
    expect(await names('tenant=other', '/operator/servers')).to.deep.equal(['theirs']);
    for (const path of ['/v1.0/other/fleet', '/v1.0/nobody/fleet']) {
      expect((await api.call('GET', path)).status, path).to.be.oneOf([401, 403, 404]);
    }
    const { next } = okBody(await api.call('GET', '/v1.0/demo/fleet?limit=1')) as unknown as FleetView;
    expectRefusal(await other.call('GET', `/v1.0/other/fleet?limit=1&after=${next}`), 400, 'after: ');
  });

  for (const [query, message] of [
    ['state=watching', 'state: must be one of firing, noData, pending, filling, calm, unwatched'],
    ['sort=age', 'sort: must be one of state, since, name'],
    ['limit=0', 'limit: must be an integer from 1 to 1000'],
    ['limit=1001', 'limit: '],
    ['label=severity', 'label: must be NAME=VALUE, such as severity=critical'],
    ['label==x', 'label: '],
    ['query=%00', 'query: '],
    ['rule=a&rule=b', 'rule: must be given once'],
    ['after=garbage', 'after: must be the `next` of a page that was asked for with the same parameters'],
    ['after=W10', 'after: '],
    ['order=1', 'is no parameter here'],
  ] as const) {
    it(`refuse ${query}`, async () => {
      const { api } = await stage();
      for (const path of ['/v1.0/demo/fleet', '/operator/servers']) {
        expectRefusal(await api.call('GET', `${path}?${query}`), 400, message);
      }
    });
  }

  it('refuse the next of a page with other parameters', async () => {
    const { api, page } = await fleet();
    const { next } = await page('limit=1');
    for (const query of ['sort=name', 'sort=since', 'state=firing', 'rule=busy', 'label=a=b', 'query=f']) {
      expectRefusal(await api.call('GET', `/v1.0/demo/fleet?${query}&after=${next}`), 400, 'after: ');
    }
    expectRefusal(await api.call('GET', `/operator/servers?after=${next}`), 400, 'after: ');
    expect((await page(`limit=3&after=${next}`)).servers).to.have.length(3);
  });

  it('are the same after a restart', async () => {
    const folder = await open.folder();
    const scene = await fleet({ DATA_DIR: folder });
    const before = await scene.page();
    await scene.close();
    const again = await open.service({ DATA_DIR: folder }, () => Date.parse('2026-11-21T10:01:10Z'));
    const after = okBody(await again.api.call('GET', '/v1.0/demo/fleet')) as unknown as FleetView;
    expect(after.servers.map(({ serverId, state, since }) => [serverId, state, since])).to.deep.equal(
      before.servers.map(({ serverId, state, since }) => [serverId, state, since]),
    );
  });
});
