import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { TenantSummary, TenantsView } from '../../../../src/operator/shapes.js';
import { apiClient, type ApiClient, request } from '../../api-client.js';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { addGeneric, ALWAYS, factsBody, okBody } from '../actions.js';
import { nothingStoredWith, storedWith } from './stored.js';

const USERS = { IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' };

async function tenantsOf(api: ApiClient, query = ''): Promise<TenantsView> {
  return okBody(await api.call('GET', `/operator/tenants${query}`)) as unknown as TenantsView;
}

async function tenant(api: ApiClient, name: string): Promise<TenantSummary | undefined> {
  return (await tenantsOf(api)).tenants.find(({ names }) => names.includes(name));
}

/** Gives a tenant of a name two servers of three subscriptions, one of them firing, with messages that wait. */
async function fill(api: ApiClient, name: string, url: string): Promise<void> {
  okBody(await api.call('PUT', `/v1.0/${name}`, { windowsize: 1 }));
  const ruleId = okBody(await api.call('POST', `/v1.0/${name}/rules`, ALWAYS))['ruleId']!;
  for (const [server, path] of [
    ['web-1', '1'],
    ['web-1', '2'],
    ['web-2', '1'],
  ] as const)
    okBody(
      await api.call('POST', `/v1.0/${name}/servers/${server}/subscription`, {
        ruleId,
        url: `${url}/${name}/${path}`,
      }),
    );
  okBody(
    await api.call('PUT', `/v1.0/${name}/quiet/nights`, {
      servers: ['no-*'],
      duration: 3600,
      rrule: 'FREQ=DAILY',
    }),
  );
  for (const value of [90, 91]) {
    const body = factsBody({ cpuLoadPct: value });
    okBody(await api.call('POST', `/${name}/servers/web-1`, body));
  }
}

async function gone(api: ApiClient, id: string): Promise<void> {
  await eventually(
    async () => (await api.call('DELETE', `/operator/tenants/${id}`)).status === 404 || undefined,
    SOON_MS,
    async () => `the tenant is still there: ${(await storedWith(api, id)).join('\n')}`,
  );
}

describe('the tenants of a service', () => {
  const open = scenes();

  it('are listed for operators with what they have, in pages', async () => {
    const before = Date.now();
    const { url, api } = await open.service(USERS);
    const other = await apiClient(url, 'other', 'olga', 'pass');
    await fill(api, 'demo', 'http://127.0.0.1:9');
    okBody(await other.call('GET', '/v1.0/other'));
    const { tenants, next } = await tenantsOf(api);
    expect(next).to.equal(null);
    const byName = new Map(tenants.map((one) => [one.names[0], one]));
    expect([...byName.keys()]).to.have.members(['demo', 'other']);
    const { id, seenAt, ...shown } = byName.get('demo')!;
    expect(id).to.match(/^[0-9a-f]{32}$/);
    expect(Date.parse(seenAt!)).to.be.within(before - 1, Date.now());
    expect(shown).to.deep.equal({ names: ['demo'], servers: 2, subscriptions: 3, firing: 1 });
    expect(byName.get('other')).to.include({ servers: 0, subscriptions: 0, firing: 0 });

    const first = await tenantsOf(api, '?limit=1');
    expect(first.tenants).to.have.length(1);
    const second = await tenantsOf(api, `?limit=1&after=${encodeURIComponent(first.next!)}`);
    expect([...first.tenants, ...second.tenants]).to.deep.equal(tenants);
    expect(second.next).to.equal(null);
    for (const query of ['?limit=0', '?tenant=demo', '?after=server/a/b'])
      expect((await api.call('GET', `/operator/tenants${query}`)).status, query).to.equal(400);
  });

  it('have the time of their last token, within a minute', async () => {
    let time = Date.UTC(2026, 0, 15, 12);
    const { api } = await open.service({}, () => time);
    const seen = async (): Promise<number> => {
      okBody(await api.call('GET', '/v1.0/demo'));
      return Date.parse((await tenant(api, 'demo'))!.seenAt!);
    };
    const first = await seen();
    expect(first).to.equal(time);
    time += 50_000;
    expect(await seen()).to.equal(first);
    time += 50_000;
    expect(await seen()).to.equal(time);
  });

  it('are deleted with all that is their own, and nothing of others', async () => {
    const { url, api } = await open.service({ ...USERS, SMTP_URL: 'smtp://127.0.0.1:9' });
    const other = await apiClient(url, 'other', 'olga', 'pass');
    await fill(api, 'demo', 'http://127.0.0.1:9');
    await fill(other, 'other', 'http://127.0.0.1:9');
    const { id } = (await tenant(api, 'demo'))!;
    const { id: otherId } = (await tenant(api, 'other'))!;
    const kinds = new Set(
      (await storedWith(api, id)).map((line) => (JSON.parse(line) as { id: string }).id.split('/')[0]),
    );
    expect([...kinds]).to.include.members([
      'tenant',
      'tenant-name',
      'server',
      'history',
      'delivery',
      'receiver',
    ]);

    const answer = await api.call('DELETE', `/operator/tenants/${id}`);
    expect([answer.status, answer.body]).to.deep.equal([202, { state: 'deleting' }]);
    const refused = await api.call('GET', '/v1.0/demo');
    expectRefusal(refused, 503, 'the tenant is being deleted');
    expect(refused.headers.get('retry-after')).to.equal('5');
    for (const path of [`/${id}`, '/demo'])
      expectRefusal(
        await request(`${url}${path}/servers/web-1`, 'POST', factsBody({ cpuLoadPct: '1' })),
        404,
      );
    expect((await api.call('DELETE', `/operator/tenants/${id}`)).status).to.equal(202);
    expect((await tenant(api, 'demo'))?.state).to.equal('deleting');

    await gone(api, id);
    expect(await storedWith(api, id)).to.deep.equal([]);
    expect((await tenantsOf(api)).tenants.map((one) => one.id)).to.deep.equal([otherId]);
    expect(await tenant(api, 'other')).to.include({ servers: 2, subscriptions: 3, firing: 1 });
    expectRefusal(await request(`${url}/demo/servers/web-1`, 'POST', factsBody({ cpuLoadPct: '1' })), 404);
    expect(
      okBody(await request(`${url}/other/servers/web-1`, 'POST', factsBody({ cpuLoadPct: '1' })))['id'],
    ).to.equal(3);
  });

  it('are known anew from their next token on', async () => {
    const { url, api } = await open.service();
    await fill(api, 'demo', 'http://127.0.0.1:9');
    const { id } = (await tenant(api, 'demo'))!;
    expect((await api.call('DELETE', `/operator/tenants/${id}`)).status).to.equal(202);
    await gone(api, id);
    expect(okBody(await api.call('GET', '/v1.0/demo'))['windowsize']).to.equal(5);
    expect(okBody(await api.call('GET', '/v1.0/demo/rules'))['rules']).to.deep.equal([]);
    expect(okBody(await api.call('GET', '/v1.0/demo/servers'))['servers']).to.deep.equal([]);
    expect((await api.call('GET', '/v1.0/demo/servers/web-1/history')).status).to.equal(404);
    expect(
      okBody(await request(`${url}/demo/servers/web-1`, 'POST', factsBody({ cpuLoadPct: '1' })))['id'],
    ).to.equal(1);
    await addGeneric(api);
    expect(await tenant(api, 'demo')).to.include({ servers: 1, subscriptions: 0, firing: 0 });
  });

  it('are 404 if they are unknown, also by a name', async () => {
    const { api } = await open.service();
    okBody(await api.call('GET', '/v1.0/demo'));
    for (const id of ['demo', 'nobody', 'a%20b'])
      expectRefusal(await api.call('DELETE', `/operator/tenants/${id}`), 404, 'tenantId');
    expect((await api.call('DELETE', `/operator/tenants/demo?now=1`)).status).to.equal(400);
    await nothingStoredWith(api, 'nobody');
  });

  it('are the operators’ alone', async () => {
    const { api } = await open.service({ OPERATOR_TOKEN: 'a-long-operator-token' });
    expect((await api.call('GET', '/operator/tenants')).status).to.equal(401);
    expect((await api.call('DELETE', '/operator/tenants/demo')).status).to.equal(401);
  });
});
