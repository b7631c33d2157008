import { expect } from 'chai';
import { apiClient, request } from '../api-client.js';
import { ALWAYS, addGeneric, addRule, cpu, factsBody, subscribe, okBody } from './actions.js';
import { expectRefusal } from '../refusal.js';
import { scenes } from '../scene.js';

const FACTS = factsBody({ cpuLoadPct: '1' });
const TWO = { IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' };

describe('a tenant', () => {
  const open = scenes();

  it('is unknown until its first valid token: its facts are 404 before the body is read', async () => {
    const { url, api } = await open.service();
    const bodies: readonly (string | object)[] = [FACTS, '{"no', {}, 'x'.repeat(10_000_000)];
    for (const path of ['/demo/servers/web-1', '/v1.0/demo/servers/web-1']) {
      for (const body of bodies)
        expectRefusal(await request(url + path, 'POST', body), 404, 'tenantId', 'demo');
      expectRefusal(
        await request(url + path, 'POST', 'x', { 'content-type': 'text/plain' }),
        404,
        'tenantId',
      );
    }
    await api.call('GET', '/v1.0/demo', undefined, { 'x-auth-token': 'nonsense' });
    expectRefusal(await request(`${url}/demo/servers/web-1`, 'POST', FACTS), 404);
    okBody(await api.call('GET', '/v1.0/demo/servers'));
    expect(okBody(await request(`${url}/demo/servers/web-1`, 'POST', FACTS))['id']).to.equal(1);
  });

  it('stays known over a restart without a new token', async () => {
    const DATA_DIR = await open.folder();
    const first = await open.service({ DATA_DIR });
    await first.api.call('GET', '/v1.0/demo');
    expect(await cpu(first.api, 'web-1', 1)).to.equal(1);
    await first.close();
    const { url } = await open.service({ DATA_DIR });
    expect(okBody(await request(`${url}/demo/servers/web-1`, 'POST', FACTS))['id']).to.equal(2);
  });

  it('is the same tenant under its id and its name', async () => {
    const { url, api } = await open.service();
    const { id } = await tenantOf(url);
    expect(okBody(await api.call('GET', `/v1.0/${id}`))['owner']).to.equal(id);
    expect(okBody(await api.call('GET', '/v1.0/demo'))['owner']).to.equal('demo');
    okBody(await api.call('PUT', `/v1.0/${id}`, { windowsize: 3 }));
    expect(okBody(await api.call('GET', '/v1.0/demo'))['windowsize']).to.equal(3);
    const ruleId = await addGeneric(api);
    expect(okBody(await api.call('GET', `/v1.0/${id}/rules/${ruleId}`))['ruleId']).to.equal(ruleId);
    const paths = [`/${id}/servers/web-1`, '/demo/servers/web-1', `/v1.0/${id}/servers/web-1`];
    for (const [i, path] of paths.entries()) {
      expect(okBody(await request(url + path, 'POST', FACTS))['id'], path).to.equal(i + 1);
    }
    expect(okBody(await api.call('GET', '/v1.0/demo/servers'))['servers']).to.have.length(1);
  });

  it('sees nothing of another tenant with the same names', async () => {
    const { url, api } = await open.service(TWO);
    const other = await apiClient(url, 'other', 'olga', 'pass');
    await other.call('PUT', '/v1.0/other', { windowsize: 9 });
    const genericId = await addGeneric(api);
    const ruleId = await addRule(api, 'web-1');
    const hook = 'http://127.0.0.1:9/';
    const subscriptionId = await subscribe(api, 'web-1', ruleId, hook);
    await cpu(api, 'web-1', 1);
    await cpu(api, 'web-1', 1);

    const home = '/v1.0/other/servers/web-1';
    expectRefusal(await other.call('GET', home), 404, 'web-1');
    expect(okBody(await request(`${url}/other/servers/web-1`, 'POST', FACTS))['id']).to.equal(1);
    expect(okBody(await other.call('GET', '/v1.0/other/rules'))).to.deep.equal({ rules: [] });
    const servers = [{ serverId: 'web-1', rules: [] }];
    expect(okBody(await other.call('GET', '/v1.0/other/servers'))).to.deep.equal({ servers });
    for (const [method, path, body] of [
      ['GET', `/v1.0/other/rules/${genericId}`],
      ['PUT', `/v1.0/other/rules/${genericId}`, ALWAYS],
      ['DELETE', `/v1.0/other/rules/${genericId}`],
      ['GET', `${home}/rules/${ruleId}`],
      ['DELETE', `${home}/rules/${ruleId}`],
      ['GET', `${home}/subscription/${subscriptionId}`],
      ['DELETE', `${home}/subscription/${subscriptionId}`],
      ['POST', `${home}/subscription`, { ruleId: genericId, url: hook }],
      ['POST', `${home}/subscription`, { ruleId, url: hook }],
    ] as const) {
      expectRefusal(await other.call(method, path, body), 404);
      expectRefusal(await other.call(method, path.replace('other', 'demo'), body), 403, 'tenantId');
    }
    expect(okBody(await api.call('GET', '/v1.0/demo'))['windowsize']).to.equal(5);
    expect(okBody(await api.call('GET', `/v1.0/demo/servers/web-1`))['rules']).to.have.length(1);
  });
});

describe('FACTS_AUTH', () => {
  const open = scenes();
  const path = '/demo/servers/web-1';

  it('open requires nothing and ignores a token', async () => {
    const { url, api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    okBody(await request(url + path, 'POST', FACTS));
    okBody(await request(url + path, 'POST', FACTS, { 'x-auth-token': 'nonsense' }));
  });

  it('token requires a token of the tenant before any other check', async () => {
    const { url, api } = await open.service({ ...TWO, FACTS_AUTH: 'token' });
    const other = await apiClient(url, 'other', 'olga', 'pass');
    for (const at of [path, `/v1.0${path}`, '/nobody/servers/web-1']) {
      expectRefusal(await request(url + at, 'POST', '{"no'), 401, 'X-Auth-Token');
      expectRefusal(await request(url + at, 'POST', FACTS, { 'x-auth-token': 'x' }), 401, 'X-Auth-Token');
      expectRefusal(await other.call('POST', at, '{"no'), 403, 'tenantId');
    }
    expectRefusal(await api.call('POST', path, '{"no'), 400, 'not JSON');
    expect(okBody(await api.call('POST', path, FACTS))['id']).to.equal(1);
    expect(
      okBody(await api.call('POST', `/${(await tenantOf(url)).id}/servers/web-1`, FACTS))['id'],
    ).to.equal(2);
  });

  it('key requires the shared secret and a known tenant', async () => {
    const { url, api } = await open.service({ FACTS_AUTH: 'key', FACTS_KEY: 'open-sesame' });
    const headerSets: readonly Record<string, string>[] = [
      {},
      { 'x-facts-key': 'open' },
      { 'x-facts-key': 'open-sesame2' },
      { 'x-auth-token': api.token },
    ];
    for (const headers of headerSets) {
      expectRefusal(await request(url + path, 'POST', '{"no', headers), 401, 'X-Facts-Key');
    }
    const key = { 'x-facts-key': 'open-sesame' };
    expectRefusal(await request(url + path, 'POST', FACTS, key), 404, 'tenantId');
    await api.call('GET', '/v1.0/demo');
    expectRefusal(await request(url + path, 'POST', '{"no', key), 400);
    expect(okBody(await request(url + path, 'POST', FACTS, key))['id']).to.equal(1);
    okBody(await request(`${url}/v1.0${path}`, 'POST', FACTS, key));
  });
});

/** Returns the demo tenant in its tokens. */
async function tenantOf(url: string): Promise<{ id: string; name: string }> {
  const auth = { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } };
  const { body } = await request(`${url}/identity/v2.0/tokens`, 'POST', { auth });
  return (body as unknown as { access: { token: { tenant: { id: string; name: string } } } }).access.token
    .tenant;
}
