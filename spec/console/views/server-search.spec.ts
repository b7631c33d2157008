import { expect } from 'chai';
import { findServers } from '../../../src/console/views/server-search.js';
import type { ServersView } from '../../../src/console/shapes.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { apiClient, type ApiClient, request } from '../../e2e/api-client.js';
import { addSubscribedRule, cpu, factsBody, okBody, windowSize } from '../../e2e/policy/actions.js';
import { expectRefusal } from '../../e2e/refusal.js';
import { scenes } from '../../e2e/scene.js';

const PATH = '/console/api/servers';

describe('the console’s search for servers', () => {
  const open = scenes();
  let url: string;
  let demo: ApiClient;
  let other: ApiClient;
  beforeEach(async () => {
    const service = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    ({ url, api: demo } = service);
    other = await apiClient(url, 'other', 'olga', 'pass');
    await windowSize(demo, 1);
    await addSubscribedRule(demo, 'db-main.example.org', 'http://127.0.0.1:9/');
    for (const name of ['web-1', 'WEB-2', 'urn:ngsi-ld:Host:web-3.json.json', 'cache'])
      await cpu(demo, name, 1);
    await cpu(demo, 'db-main.example.org', 95);
    await other.call('GET', '/v1.0/other');
    okBody(await other.call('POST', '/other/servers/web-9', factsBody({ cpuLoadPct: 50 })));
  });

  const asOperator = async (query = ''): Promise<ServersView> =>
    okBody(await request(`${url}${PATH}?${query}`, 'GET')) as never;
  const asTenant = async (api: ApiClient, query = ''): Promise<ServersView> =>
    okBody(await api.call('GET', `${PATH}?${query}`)) as never;
  const names = ({ servers }: ServersView): string[] => servers.map(({ serverId }) => serverId);

  it('finds a part of an id, in any case, for an operator over all tenants', async () => {
    const found = await asOperator('query=Web');
    expect(names(found).toSorted()).to.deep.equal(['WEB-2', 'urn:ngsi-ld:Host:web-3.json', 'web-1', 'web-9']);
    expect(found.next).to.equal(null);
    expect(new Set(found.servers.map(({ tenantId }) => tenantId)).size).to.equal(2);
    expect(names(await asOperator('query=nothing'))).to.deep.equal([]);
  });

  it('filters by tenant and state', async () => {
    const { servers } = await asOperator('query=web-9');
    const tenant = servers[0]!.tenantId;
    expect(names(await asOperator(`tenant=${tenant}`))).to.deep.equal(['web-9']);
    expect(await asOperator('state=firing')).to.deep.equal({
      servers: [
        {
          tenantId: (await asTenant(demo)).servers[0]!.tenantId,
          serverId: 'db-main.example.org',
          state: 'firing',
        },
      ],
      next: null,
    });
    expect(names(await asOperator('state=firing&query=web'))).to.deep.equal([]);
    expect(names(await asOperator('state=unwatched&query=WEB-2'))).to.deep.equal(['WEB-2']);
  });

  it('shows a tenant its own servers, whatever it asks for', async () => {
    expect(names(await asTenant(other))).to.deep.equal(['web-9']);
    expect(names(await asTenant(demo, 'query=web-9'))).to.deep.equal([]);
    const { tenantId } = (await asTenant(other)).servers[0]!;
    const asked = await asTenant(demo, `tenant=${tenantId}`);
    expect(names(asked)).to.have.length(5);
    expect(names(asked)).not.to.include('web-9');
  });

  it('walks the pages, with and without a text', async () => {
    for (const query of ['', 'query=e', 'query=web']) {
      const all = names(await asOperator(query));
      const walked: string[] = [];
      for (let after: string | null = ''; after !== null;) {
        const page: ServersView = await asOperator(`${query}&limit=2&after=${encodeURIComponent(after)}`);
        expect(page.servers.length).to.be.at.most(2);
        walked.push(...names(page));
        after = page.next;
      }
      expect(walked).to.deep.equal(all);
    }
  });

  it('refuses wrong parameters, and names them', async () => {
    const refused = async (query: string, message: string): Promise<void> =>
      expectRefusal(await request(`${url}${PATH}?${query}`, 'GET'), 400, message);
    await refused('state=broken', 'state: must be one of firing, noData, pending, filling, calm, unwatched');
    await refused('limit=0', 'limit: must be an integer from 1 to 1000');
    await refused('after=web-1', 'after: must be the `next` of a page');
    await refused('server=web-1', 'is no parameter here; allowed: query, tenant, state, after, limit');
    await refused('query=a&query=b', 'query: must be given once');
    await refused('query=%00', 'query: holds no control characters');
  });

  it('needs a viewer', async () => {
    const { url: guarded } = await open.service({ OPERATOR_TOKEN: 'let-the-operators-in' });
    expectRefusal(await request(guarded + PATH, 'GET'), 401, 'log in');
  });
});

describe('a search that takes longer than its budget', () => {
  it('stops with `next`, and goes on there', async () => {
    const store = memoryStore();
    const names = Array.from({ length: 50 }, (_, i) => `s-${String(i).padStart(2, '0')}`);
    for (const name of names) {
      store.documents.set(`server/t/${name}`, {
        revision: 1,
        version: 1,
        state: 'unwatched',
        wakeAt: undefined,
        frequent: '{}',
        rare: '{}',
        commitId: name,
      });
    }
    let clock = 0;
    const search = { query: '9', tenant: undefined, state: undefined, limit: 10 };
    const budget = { pageSize: 10, ms: 20 };
    const tick = (): number => (clock += 10);
    const first = await findServers(store, { ...search, after: undefined }, tick, budget);
    expect(first.servers.map(({ serverId }) => serverId)).to.deep.equal(['s-09', 's-19']);
    expect(first.next).to.equal('server/t/s-19');
    const rest = await findServers(store, { ...search, after: first.next! }, () => 0, budget);
    expect(rest.servers.map(({ serverId }) => serverId)).to.deep.equal(['s-29', 's-39', 's-49']);
    expect(rest.next).to.equal(null);
  });
});
