import { expect } from 'chai';
import type { RefusalView } from '../../../../src/operator/shapes.js';
import { scrape } from '../../../operator/scrape.js';
import { apiClient, type ApiClient, request } from '../../api-client.js';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';
import { cpu, okBody } from '../actions.js';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const GOOD = { data: [{ id: 'web-1', type: 'host', cpuLoadPct: 1 }] };
const ODD = { data: [...GOOD.data, { id: 'a b', cpuLoadPct: 1 }] };
const KEY = 'let-me-in-for-the-specs';
const MEASURED = 'mirzam_measurements_refused_total';

async function refusals(url: string, query = ''): Promise<readonly RefusalView[]> {
  const body = okBody(await request(`${url}/operator/refusals${query}`, 'GET'));
  return body['refusals']!;
}

describe('/operator/refusals', () => {
  const open = scenes();
  /** What is listed, without times and messages. `id` is that of the tenant `demo`. */
  const shown = async (url: string, id?: string, query?: string) =>
    (await refusals(url, query)).map(({ tenant, path, status, times }) => [
      tenant === id ? 'demo' : tenant,
      path,
      status,
      times,
    ]);
  /** Makes the tenant of a client known. Returns its id. */
  const idOf = async (api: ApiClient, name = 'demo'): Promise<string> => {
    okBody(await api.call('GET', `/v1.0/${name}`));
    const { actors } = okBody(await api.call('GET', '/operator/actors?kind=tenant-name')) as unknown as {
      actors: readonly { tenant: string; context?: unknown }[];
    };
    const { tenant } = actors.find((one) => one.tenant === name)!;
    const shown = okBody(await api.call('GET', `/operator/actors/tenant-name/${tenant}/name`));
    return (shown['context'] as unknown as { tenantId: string }).tenantId;
  };

  it('lists what operation 1 and facts by entity refuse, the newest first, and what they refuse a part of', async () => {
    const { url, api } = await open.service({ BODY_LIMIT: '2048' }, () => NOON);
    const id = await idOf(api);
    const send = (path: string, body: unknown, headers?: Record<string, string>) =>
      request(url + path, 'POST', body, headers);
    await send('/v1.0/stranger/servers/web-1', GOOD);
    await send('/demo/servers/a%20b', GOOD);
    await send('/demo/servers/web-1', ODD.data);
    await send('/demo/servers/web-1', GOOD, { accept: 'text/html' });
    await send('/demo/notify', GOOD, { 'content-type': 'text/plain' });
    await send('/demo/notify', { data: Array.from({ length: 100 }, () => GOOD.data[0]) });
    await send('/v1.0/demo/notify', {});
    await send('/v1.0/demo/notify', {});
    await send('/v1.0/demo/notify', ODD);
    await request(`${url}/v1.0/demo/notify`, 'PUT', GOOD);
    // These are measurements that were taken, or no measurements.
    await send('/v1.0/demo/notify', GOOD);
    await cpu(api, 'web-1', 1);
    await send('/v1.0/demo/servers/web-1/subscription', {});
    await api.call('GET', '/v1.0/other/servers/web-1');
    await send('/nowhere', GOOD);

    expect(await shown(url, id)).to.deep.equal([
      ['demo', '/v1.0/demo/notify', 405, 1],
      ['demo', '/v1.0/demo/notify', 200, 1],
      ['demo', '/v1.0/demo/notify', 400, 2],
      ['demo', '/demo/notify', 413, 1],
      ['demo', '/demo/notify', 400, 1],
      ['demo', '/demo/servers/web-1', 406, 1],
      ['demo', '/demo/servers/web-1', 400, 1],
      ['demo', '/demo/servers/a%20b', 400, 1],
      ['stranger', '/v1.0/stranger/servers/web-1', 404, 1],
    ]);
    const [, part, none] = await refusals(url);
    expect(part!.message).to.match(/^1 element refused: data\[1\]\.id: must be the id of a server/);
    expect(none).to.deep.include({ at: new Date(NOON).toISOString() });
    expect(none!.message).to.include('contextResponses');
    expect(await shown(url, id, '?tenant=stranger')).to.have.length(1);
    expect(await shown(url, id, '?tenant=demo&limit=2')).to.have.length(2);
    for (const query of ['?limit=0', '?limit=1001', '?after=x', '?tenant=a/b']) {
      expectRefusal(await request(`${url}/operator/refusals${query}`, 'GET'), 400);
    }
    const { sum } = await scrape(url);
    expect(sum(MEASURED, { status: '200' })).to.equal(1);
    expect(sum(MEASURED, { status: '400' })).to.equal(5);
    expect(sum(MEASURED, { status: '401' })).to.equal(0);
    expect(sum(MEASURED)).to.equal(10);
  });

  it('lists a tenant by its id, by whatever name it was called', async () => {
    const { url } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,acme:ann:pass' });
    const acme = await apiClient(url, 'acme', 'ann', 'pass');
    const path = '/acme/notify';
    await request(url + path, 'POST', {}, { accept: 'text/html' });
    expect((await shown(url)).map(([tenant]) => tenant)).to.deep.equal(['acme']);
    // Refused before its tenant was looked up, which nobody has named to this node yet.
    expect(await shown(url, '', '?tenant=acme')).to.have.length(1);
    const id = await idOf(acme, 'acme');
    await request(url + path, 'POST', {}, { accept: 'text/html' });
    await request(url + path, 'POST', {});
    await request(`${url}/v1.0/${id}/notify`, 'POST', {});
    expect(await shown(url, '', `?tenant=${id}`)).to.deep.equal([
      [id, `/v1.0/${id}/notify`, 400, 1],
      [id, path, 400, 1],
      [id, path, 406, 1],
    ]);
    expect(await shown(url, '', '?tenant=acme')).to.have.length(4);
  });

  it('has a line of the log for each tenant and minute, and one for strangers, without any secret', async () => {
    const settings = { FACTS_AUTH: 'key', FACTS_KEY: KEY, LOG_LEVEL: 'info' };
    const { url, api, logged } = await open.service(settings, () => NOON);
    const id = await idOf(api);
    const wrong = 'my-other-key-by-mistake';
    for (let i = 0; i < 3; i += 1) {
      expectRefusal(
        await request(`${url}/demo/notify?key=${wrong}`, 'POST', GOOD, { 'x-facts-key': wrong }),
        401,
      );
      expectRefusal(await request(`${url}/demo/notify`, 'POST', {}, { 'x-facts-key': KEY }), 400);
      expectRefusal(await request(`${url}/who${i}/notify`, 'POST', {}, { 'x-facts-key': KEY }), 404);
    }
    const lines = logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ level }) => level === 'warn');
    expect(lines.map(({ msg, tenant, status, times }) => [msg, tenant, status, times])).to.deep.equal([
      ['measurements refused', id, 401, 1],
      ['measurements of unknown tenants refused', undefined, 404, 1],
    ]);
    const listed = await refusals(url);
    expect(listed.map(({ status, times }) => [status, times])).to.deep.equal([
      [404, 1],
      [400, 3],
      [401, 3],
      [404, 1],
      [404, 1],
    ]);
    for (const text of [logged.join(''), JSON.stringify(listed)]) {
      expect(text).not.to.include(KEY).and.not.to.include(wrong);
    }
  });

  it('lists the token of another tenant under the tenant in the path', async () => {
    const { url, api } = await open.service({ FACTS_AUTH: 'token' });
    expectRefusal(await api.call('POST', '/other/notify', GOOD), 403);
    expect(await shown(url)).to.deep.equal([['other', '/other/notify', 403, 1]]);
  });
});
