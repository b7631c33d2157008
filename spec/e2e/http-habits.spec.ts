import { gzipSync, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import { type ApiAnswer, apiClient, request } from './api-client.js';
import { ALWAYS, cpu, factsBody, okBody } from './policy/actions.js';
import { type Ids, OPERATIONS, prepared } from './policy/operation-table.js';
import { expectRefusal } from './refusal.js';
import { type Scene, scenes } from './scene.js';

/** Returns the methods of a path of the interface, including HEAD and OPTIONS. */
function allowedAt(path: string, ids: Ids): string {
  const methods = OPERATIONS.filter((one) => one.path(ids) === path).map(({ method }) => method as string);
  // Operation 1 is also found under `/v1.0`. The deletion is beyond the document.
  if (path === `/v1.0/${ids.tenantId}/servers/${ids.serverId}`) methods.push('POST', 'DELETE');
  if (methods.includes('GET')) methods.push('HEAD');
  return [...methods, 'OPTIONS'].toSorted().join(', ');
}

describe('every path of the policy API', () => {
  const open = scenes();
  let scene: Scene;
  let ids: Ids;
  beforeEach(async () => {
    scene = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass', BODY_LIMIT: '4KiB' });
    ids = await prepared(scene.api);
  });
  const paths = (): string[] => [...new Set(OPERATIONS.map((one) => one.path(ids)))];

  it('answers other methods with 405 and Allow, without a token', async () => {
    for (const path of paths()) {
      const allow = allowedAt(path, ids);
      for (const method of ['PUT', 'POST', 'DELETE', 'PATCH', 'GET', 'BREW'].filter(
        (m) => !allow.includes(m),
      )) {
        const answer = await request(scene.url + path, method);
        expectRefusal(answer, 405, method, allow);
        expect(answer.headers.get('allow'), `${method} ${path}`).to.equal(allow);
      }
    }
  });

  it('answers OPTIONS with 204 and Allow, without a token', async () => {
    for (const path of paths()) {
      const { status, headers, text } = await request(scene.url + path, 'OPTIONS');
      expect([status, headers.get('allow'), text]).to.deep.equal([204, allowedAt(path, ids), '']);
    }
  });

  it('answers HEAD like GET without the body', async () => {
    for (const { path } of OPERATIONS.filter(({ method }) => method === 'GET')) {
      const get = await scene.api.call('GET', path(ids));
      const head = await scene.api.call('HEAD', path(ids));
      expect([head.status, head.text]).to.deep.equal([200, '']);
      expect(head.headers.get('content-type')).to.equal(get.headers.get('content-type'));
      expect((await request(scene.url + path(ids), 'HEAD')).status).to.equal(401);
    }
  });

  it('may end in a slash, and in .json, which precedes Accept', async () => {
    for (const { path } of OPERATIONS.filter(({ method }) => method === 'GET')) {
      const plain = okBody(await scene.api.call('GET', path(ids)));
      expect(okBody(await scene.api.call('GET', `${path(ids)}/`))).to.deep.equal(plain);
      const accept = { accept: 'text/html' };
      expect(okBody(await scene.api.call('GET', `${path(ids)}.json`, undefined, accept))).to.deep.equal(
        plain,
      );
      expect(okBody(await scene.api.call('GET', `${path(ids)}?a=1`))).to.deep.equal(plain);
      expectRefusal(await scene.api.call('GET', `${path(ids)}/`, undefined, accept), 406);
    }
    for (const end of ['/', '.json', '/?x']) {
      okBody(await request(`${scene.url}/demo/servers/web-1${end}`, 'POST', factsBody({ cpuLoadPct: '1' })));
      okBody(await scene.api.call('POST', `/v1.0/demo/rules${end}`, ALWAYS));
    }
  });

  it('accepts every Accept header that allows JSON', async () => {
    const accepts = [
      '*/*',
      'application/*',
      'application/json',
      'text/html, application/json;q=0.1',
      'text/html,*/*;q=0.5',
      'application/json; charset=utf-8',
    ];
    for (const accept of accepts) okBody(await scene.api.call('GET', '/v1.0/demo', undefined, { accept }));
  });

  it('is matched exactly: any other path is 404 in the same error shape', async () => {
    for (const path of [
      '/nothing',
      '/V1.0/demo',
      '/v1.0',
      '/v1.1/demo',
      '/v1.0/demo/rule',
      '/v1.0/demo/rules/a/b',
      '/demo/servers',
      '/demo/servers/a/b',
      '/v1.0/demo//rules',
    ]) {
      expectRefusal(await scene.api.call('GET', path), 404);
      expectRefusal(await scene.api.call('POST', path, {}), 404);
    }
    expectRefusal(await scene.api.call('GET', '/v1.0/%ff'), 400, 'percent-encoding');
  });

  it('checks requests in the documented order', async () => {
    const { token } = scene.api;
    const stranger = (await apiClient(scene.url, 'other', 'olga', 'pass')).token;
    const good = '/v1.0/demo/servers/web-1/subscription';
    const long = 'x'.repeat(5000);
    const unknown = { ruleId: 'nope', url: 'http://127.0.0.1:9/' };
    const bad = { 'x-auth-token': 'nonsense', accept: 'text/html' };
    const send = (method: string, path: string, headers: Record<string, string>, body: unknown) =>
      request(scene.url + path, method, body, headers);

    expectRefusal(await send('PUT', '/v1.0/de.mo/servers/web-1/subscription', bad, long), 405);
    expectRefusal(await send('POST', '/v1.0/de.mo/servers/web-1/subscription', bad, long), 406);
    const json = { ...bad, accept: '*/*' };
    expectRefusal(await send('POST', '/v1.0/de.mo/servers/web-1/subscription', json, long), 400, 'tenantId');
    expectRefusal(await send('POST', good, json, long), 401);
    expectRefusal(await send('POST', good, { 'x-auth-token': stranger }, long), 403);
    const own = { 'x-auth-token': token };
    expectRefusal(await send('POST', good, own, long), 413);
    expectRefusal(await send('POST', good, own, { ...unknown, url: 'x' }), 400, 'url');
    expectRefusal(await send('POST', good, own, unknown), 404, 'nope');
    expect((await send('POST', good, own, { ...unknown, ruleId: ids.ruleId })).status).to.equal(200);
  });

  it('answers with an X-Request-Id: that of the request if valid, else a new one', async () => {
    const idOf = async (given: string, path = '/v1.0/demo'): Promise<string | null> =>
      (await scene.api.call('GET', path, undefined, { 'x-request-id': given })).headers.get('x-request-id');
    expect(await idOf('client-7.a_b')).to.equal('client-7.a_b');
    expect(await idOf('client-8', '/nowhere')).to.equal('client-8');
    for (const insane of ['a'.repeat(300), 'a b', '<script>', '"']) {
      expect(await idOf(insane)).to.match(/^[\w-]{8,}$/);
    }
    expect(await idOf('')).not.to.equal(await idOf(''));
  });

  it('accepts gzip and deflate bodies, a BOM and a charset', async () => {
    const text = JSON.stringify(factsBody({ cpuLoadPct: '1' }));
    const send = (body: Uint8Array, headers: Record<string, string>): Promise<ApiAnswer> =>
      request(`${scene.url}/demo/servers/zipped`, 'POST', body, headers);
    okBody(await send(gzipSync(text), { 'content-encoding': 'gzip' }));
    okBody(await send(deflateSync(text), { 'content-encoding': 'deflate' }));
    okBody(await send(Buffer.from(`\ufeff${text}`), { 'content-type': 'application/json; charset=UTF-8' }));
    expectRefusal(await send(Buffer.from(text), { 'content-encoding': 'br' }), 400, 'Content-Encoding');
    expectRefusal(await send(Buffer.from(text), { 'content-encoding': 'gzip' }), 400, 'Content-Encoding');
    const bomb = gzipSync(Buffer.alloc(20_000_000, 0x20));
    expectRefusal(await send(bomb, { 'content-encoding': 'gzip' }), 413, 'inflated');
    expect(await cpu(scene.api, 'zipped', 1)).to.equal(4);
  });
});
