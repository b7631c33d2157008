import { expect } from 'chai';
import { apiClient, type ApiClient, request } from '../api-client.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { addGeneric, addRule, addSubscribedRule, ALWAYS, cpu, okBody, subscribe } from './actions.js';

const LIST = '/v1.0/demo/subscriptions';
const HOOK = 'http://127.0.0.1:9/hook';

interface Listed {
  readonly subscriptionId: string;
  readonly serverId: string;
}
interface Page {
  readonly subscriptions: readonly Listed[];
  readonly next: string | null;
}

const page = async (api: ApiClient, query = ''): Promise<Page> =>
  okBody(await api.call('GET', LIST + query)) as unknown as Page;
const idsOf = ({ subscriptions }: Page): readonly string[] =>
  subscriptions.map(({ subscriptionId }) => subscriptionId);

describe('the list of subscriptions', () => {
  const open = scenes();

  it('shows each as operation 17 does, muted and suspended ones too', async () => {
    const { api } = await open.service();
    const gone = await open.receiver((response) => response.writeHead(410).end());
    const one = await addSubscribedRule(api, 'web-1', HOOK);
    const other = await addSubscribedRule(api, 'web-2', gone.origin);
    okBody(await api.call('PUT', '/v1.0/demo', { windowsize: 1 }));
    const path = (server: string, id: string) => `/v1.0/demo/servers/${server}/subscription/${id}`;
    okBody(await api.call('PUT', `${path('web-1', one.subscriptionId)}/mute`, { for: 600 }));
    await cpu(api, 'web-2', 50);
    const quiet = { servers: ['web-2'], duration: 600 };
    okBody(await api.call('PUT', '/v1.0/demo/quiet/now', quiet));
    const suspended = await eventually(
      async () => {
        const one = okBody(await api.call('GET', path('web-2', other.subscriptionId)));
        return 'suspended' in one ? one : undefined;
      },
      SOON_MS,
      () => 'it was not suspended',
    );
    const shown = [okBody(await api.call('GET', path('web-1', one.subscriptionId))), suspended];
    expect(shown[0]).to.have.property('mutedUntil');
    expect(shown[1]).to.have.property('mutedUntil');
    expect(await page(api)).to.deep.equal({ subscriptions: shown, next: null });
  });

  it('is empty without subscriptions, and has what was answered before it was asked for', async () => {
    const { api } = await open.service();
    expect(await page(api)).to.deep.equal({ subscriptions: [], next: null });
    const { subscriptionId, ruleId } = await addSubscribedRule(api, 'web-1', HOOK);
    expect(idsOf(await page(api))).to.deep.equal([subscriptionId]);
    okBody(await api.call('DELETE', `/v1.0/demo/servers/web-1/rules/${ruleId}`));
    expect(idsOf(await page(api))).to.deep.equal([]);
    const generic = await addGeneric(api);
    await subscribe(api, 'web-1', generic, HOOK);
    okBody(await api.call('DELETE', `/v1.0/demo/rules/${generic}`));
    expect(idsOf(await page(api))).to.deep.equal([]);
  });

  it('has those of a server, and of a rule by id or name', async () => {
    const { api } = await open.service();
    const generic = await addGeneric(api, { ...ALWAYS, name: 'disk full, or so' });
    const own = await addRule(api, 'web-1');
    const [a, b] = [await subscribe(api, 'web-1', generic, HOOK), await subscribe(api, 'web-1', own, HOOK)];
    const c = await subscribe(api, 'web-2', generic, HOOK);
    const found = async (query: string) => [...idsOf(await page(api, query))].toSorted();
    expect(await found('?server=web-1')).to.have.members([a, b]);
    expect(await found(`?rule=${generic}`)).to.have.members([a, c]);
    expect(await found('?rule=disk%20full,%20or%20so')).to.have.members([a, c]);
    expect(await found('?rule=always')).to.deep.equal([b]);
    expect(await found('?rule=always&server=web-2')).to.deep.equal([]);
    expect(await found('?server=web-3')).to.deep.equal([]);
    expect(await found('?server=web')).to.deep.equal([]);
  });

  it('is in pages in the order of servers and ids, each with all that stays', async () => {
    const { api } = await open.service();
    const generic = await addGeneric(api);
    const made: Listed[] = [];
    for (const [serverId, count] of [
      ['web-1', 3],
      ['web-10', 1],
      ['web-2', 4],
    ] as const)
      for (let n = 0; n < count; n += 1)
        made.push({ serverId, subscriptionId: await subscribe(api, serverId, generic, `${HOOK}/${n}`) });
    const ordered = made
      .toSorted((a, b) =>
        `${a.serverId} ${a.subscriptionId}` < `${b.serverId} ${b.subscriptionId}` ? -1 : 1,
      )
      .map(({ subscriptionId }) => subscriptionId);
    for (const limit of [1, 2, 3, 5, 8, 9]) {
      const pages = await allPages(api, `limit=${limit}`);
      expect(pages.flatMap(idsOf), String(limit)).to.deep.equal(ordered);
      expect(pages.map(({ subscriptions }) => subscriptions.length)).to.satisfy((lengths: number[]) =>
        lengths.every((length) => length <= limit),
      );
    }
    expect((await allPages(api, 'limit=2&server=web-2')).flatMap(idsOf)).to.deep.equal(ordered.slice(4));
    const first = await page(api, '?limit=2');
    const last = first.subscriptions[1]!;
    okBody(
      await api.call('DELETE', `/v1.0/demo/servers/${last.serverId}/subscription/${last.subscriptionId}`),
    );
    const rest = await page(api, `?limit=100&after=${first.next}`);
    expect(idsOf(rest)).to.deep.equal(ordered.slice(2));
  });

  async function allPages(api: ApiClient, query: string): Promise<readonly Page[]> {
    const pages: Page[] = [];
    for (let after = ''; ;) {
      const one = await page(api, `?${query}${after}`);
      pages.push(one);
      if (one.next === null) return pages;
      after = `&after=${one.next}`;
    }
  }

  it('refuses wrong parameters, and a place in another list', async () => {
    const { api } = await open.service();
    const generic = await addGeneric(api);
    for (const url of [HOOK, `${HOOK}/2`]) await subscribe(api, 'web-1', generic, url);
    const { next } = await page(api, '?limit=1');
    for (const [query, ...words] of [
      ['?limit=0', 'limit', '1000'],
      ['?limit=1001', 'limit', '1000'],
      ['?servers=a', 'servers', 'server, rule, after, limit'],
      ['?after=x', 'after', 'same parameters'],
      [`?after=${next}&server=web-1`, 'after', 'same parameters'],
      ['?server=a&server=b', 'server'],
    ] as const)
      expectRefusal(await api.call('GET', LIST + query), 400, ...words);
  });

  it('is the tenant’s own, and the operators’', async () => {
    const { api, url } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', HOOK);
    const other = await apiClient(url, 'other', 'olga', 'pass');
    expectRefusal(await other.call('GET', LIST), 403);
    const own = okBody(await other.call('GET', '/v1.0/other/subscriptions'));
    expect(own).to.deep.equal({ subscriptions: [], next: null });
    expectRefusal(await request(url + LIST, 'GET'), 401);
    const answer = await request(url + LIST, 'GET', undefined, { 'x-operator-token': 'none' });
    expect(idsOf(okBody(answer) as unknown as Page)).to.deep.equal([subscriptionId]);
  });
});
