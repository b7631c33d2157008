import { expect } from 'chai';
import type { EdgeMiddleware } from '../../src/http/context.js';
import { acceptJson } from '../../src/http/media-types.js';
import { edges, errorIn, ok, routes } from './edge.js';
import { wires } from './wire/wire-client.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const say =
  (text: string): EdgeMiddleware =>
  (ctx) => {
    ctx.body = { text };
  };
const sayPath: EdgeMiddleware = (ctx) => {
  ctx.body = { path: ctx.state.path, jsonSuffix: ctx.state.jsonSuffix, params: ctx.params, query: ctx.query };
};

describe('the edge', () => {
  const start = edges();
  const dial = wires();

  describe('paths and methods', () => {
    const spread = [
      routes({ 'POST /v1.0/:t/servers/:s': say('facts') }),
      routes({ 'GET /v1.0/:t/servers/:s': say('rules') }),
    ];

    it('answers an unknown path with 404', async () => {
      const { url } = await start([routes({ 'GET /known': ok })]);
      const response = await fetch(`${url}/unknown?token=secret`);
      expect(response.status).to.equal(404);
      expect(await errorIn(response)).to.deep.equal({
        message: 'no such path: "/unknown"; / names what there is',
        code: 404,
        title: 'Not Found',
      });
    });

    it('finds the methods of a path in several lists of routes', async () => {
      const { url } = await start(spread);
      expect(await (await fetch(`${url}/v1.0/t/servers/s`)).json()).to.deep.equal({ text: 'rules' });
      const posted = await fetch(`${url}/v1.0/t/servers/s`, { method: 'POST' });
      expect(await posted.json()).to.deep.equal({ text: 'facts' });
    });

    for (const method of ['PUT', 'DELETE', 'PATCH', 'PROPFIND', 'PURGE']) {
      it(`answers ${method} of a path without it with 405 and the methods of the path`, async () => {
        const { url } = await start(spread);
        const response = await fetch(`${url}/v1.0/t/servers/s`, { method });
        expect(response.status).to.equal(405);
        expect(response.headers.get('allow')).to.equal('GET, HEAD, OPTIONS, POST');
        expect(await errorIn(response)).to.include({ code: 405, title: 'Method Not Allowed' });
      });
    }

    it('answers HEAD as GET without the body', async () => {
      const { url } = await start(spread);
      const [got, head] = await Promise.all([
        fetch(`${url}/v1.0/t/servers/s`),
        fetch(`${url}/v1.0/t/servers/s`, { method: 'HEAD' }),
      ]);
      expect(head.status).to.equal(200);
      expect(head.headers.get('content-length')).to.equal(got.headers.get('content-length'));
      expect(await head.text()).to.equal('');
    });

    it('answers a failed HEAD with the headers of the failure only', async () => {
      const { url } = await start(spread);
      const head = await fetch(`${url}/unknown`, { method: 'HEAD' });
      expect(head.status).to.equal(404);
      expect(Number(head.headers.get('content-length'))).to.be.greaterThan(50);
      expect(await head.text()).to.equal('');
    });

    it('answers HEAD of a path without GET with 405', async () => {
      const { url } = await start([routes({ 'POST /only': ok })]);
      const head = await fetch(`${url}/only`, { method: 'HEAD' });
      expect([head.status, head.headers.get('allow')]).to.deep.equal([405, 'OPTIONS, POST']);
    });

    it('answers OPTIONS with 204 and Allow, without the checks of the route', async () => {
      const refuse: EdgeMiddleware = () => {
        throw new Error('reached');
      };
      const { url } = await start([routes({ 'PUT /locked': refuse })]);
      const response = await fetch(`${url}/locked`, { method: 'OPTIONS' });
      expect([response.status, response.headers.get('allow')]).to.deep.equal([204, 'OPTIONS, PUT']);
      expect(await response.text()).to.equal('');
    });

    it('answers OPTIONS of an unknown path with 404', async () => {
      const { url } = await start(spread);
      expect((await fetch(`${url}/unknown`, { method: 'OPTIONS' })).status).to.equal(404);
    });

    for (const path of ['/servers', '/servers/', '/servers.json', '/servers/.json', '/servers.json/']) {
      it(`routes ${path} to /servers`, async () => {
        const { url } = await start([routes({ 'GET /servers': sayPath })]);
        expect((await fetch(`${url}${path}`)).status).to.equal(200);
      });
    }

    it('rejects routes with a final slash, which would match only requests with one', async () => {
      const error = await start([routes({ 'GET /servers/': ok })]).catch((error: unknown) => error);
      expect(error).to.match(/the route \/servers\/ without its last slash/);
    });

    it('removes .json before it reads the ids, and keeps the query', async () => {
      const { url } = await start([routes({ 'GET /t/:id': sayPath })]);
      expect(await (await fetch(`${url}/t/a-1.json?limit=2`)).json()).to.deep.equal({
        path: '/t/a-1',
        jsonSuffix: true,
        params: { id: 'a-1' },
        query: { limit: '2' },
      });
    });

    it('prefers .json to Accept', async () => {
      const { url } = await start([routes({ 'GET /t': [acceptJson, ok] })]);
      const headers = { accept: 'text/html' };
      expect((await fetch(`${url}/t`, { headers })).status).to.equal(406);
      expect((await fetch(`${url}/t.json`, { headers })).status).to.equal(200);
    });

    it('keeps .json in a route group of literal paths', async () => {
      const groups = [{ prefix: '/entity', literalPaths: true }];
      const { url } = await start([routes({ 'GET /entity/:id': sayPath, 'GET /entityfoo/:id': sayPath })], {
        groups,
      });
      expect(await (await fetch(`${url}/entity/a.json`)).json()).to.deep.include({
        params: { id: 'a.json' },
      });
      expect(await (await fetch(`${url}/entityfoo/a.json`)).json()).to.deep.include({ params: { id: 'a' } });
    });

    for (const path of ['/t/%', '/t/%zz', '/t/%c3%28', '/unknown/%ff']) {
      it(`answers ${path} with 400`, async () => {
        const { url } = await start([routes({ 'GET /t/:id': ok })]);
        const response = await fetch(`${url}${path}`);
        expect(response.status).to.equal(400);
        expect((await errorIn(response)).message).to.contain('percent-encoding');
      });
    }

    it('accepts a target in absolute form', async () => {
      const { port } = await start([routes({ 'GET /t/:id': sayPath })]);
      const wire = await dial(port);
      wire.write('GET http://user:secret@other.example/t/1?a=b HTTP/1.1\r\nHost: other.example\r\n\r\n');
      const { status, body } = await wire.response();
      expect(status).to.equal(200);
      expect(JSON.parse(body)).to.deep.include({ path: '/t/1', query: { a: 'b' } });
    });

    it('answers a target that is not a path with 404', async () => {
      const { port } = await start([routes({ 'GET /': ok })]);
      const wire = await dial(port);
      wire.write('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\nGET http://[bad HTTP/1.1\r\nHost: a\r\n\r\n');
      expect((await wire.response()).status).to.equal(404);
    });
  });

  describe('X-Request-Id', () => {
    it('is a new one if the request has none', async () => {
      const { url } = await start([routes({ 'GET /t': ok })]);
      const ids = [await fetch(`${url}/t`), await fetch(`${url}/unknown`)].map(({ headers }) =>
        headers.get('x-request-id'),
      );
      for (const id of ids) expect(id).to.match(uuid);
      expect(ids[0]).not.to.equal(ids[1]);
    });

    it('is the request’s, for errors too', async () => {
      const { url } = await start([routes({ 'GET /t': ok, 'GET /bug': () => JSON.parse('{') as unknown })]);
      const headers = { 'x-request-id': 'aZ09._:-' };
      for (const path of ['/t', '/bug', '/unknown', '/%']) {
        expect((await fetch(`${url}${path}`, { headers })).headers.get('x-request-id'), path).to.equal(
          'aZ09._:-',
        );
      }
    });

    for (const [what, id] of [
      ['blanks', 'a b'],
      ['129 characters', 'a'.repeat(129)],
      ['quotes', '"a"'],
      ['nothing', ''],
    ]) {
      it(`is a new one if the request's has ${what}`, async () => {
        const { url } = await start([routes({ 'GET /t': ok })]);
        const response = await fetch(`${url}/t`, { headers: { 'x-request-id': id! } });
        expect(response.headers.get('x-request-id')).to.match(uuid);
      });
    }
  });

  it('requires a Host of HTTP/1.1 but not of HTTP/1.0', async () => {
    const { port } = await start([routes({ 'GET /t': ok })]);
    const old = await dial(port);
    old.write('GET /t HTTP/1.0\r\n\r\n');
    expect((await old.response()).status).to.equal(200);
    const wire = await dial(port);
    wire.write('GET /t HTTP/1.1\r\n\r\n');
    const { status, headers, body } = await wire.response();
    expect(status).to.equal(400);
    expect(headers['x-request-id']).to.match(uuid);
    expect(body).to.contain('Host');
  });
});
