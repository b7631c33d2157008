import { expect } from 'chai';
import type { EdgeMiddleware } from '../../src/http/context.js';
import { closing, route } from '../../src/http/router.js';
import { Refusal } from '../../src/errors.js';
import { wires } from './wire/wire-client.js';
import { edges, errorIn, ok, routes } from './edge.js';

const show: EdgeMiddleware = (ctx) => {
  ctx.body = { params: ctx.params, captures: ctx.captures };
};

describe('a route', () => {
  const start = edges();
  const open = wires();

  it('is the first that has the path and the method', async () => {
    const say =
      (text: string): EdgeMiddleware =>
      (ctx) => {
        ctx.body = { text };
      };
    const { url } = await start([
      routes({ 'POST /t/:id': say('posted'), 'GET /t/special': say('special'), 'GET /t/:id': say('any') }),
      routes({ 'GET /t/:id': say('late') }),
    ]);
    expect(await (await fetch(`${url}/t/special`)).json()).to.deep.equal({ text: 'special' });
    expect(await (await fetch(`${url}/t/other`)).json()).to.deep.equal({ text: 'any' });
  });

  it('that closes its paths leaves later routes none of them', async () => {
    const { url, port } = await start([
      [closing(route(['POST'], '/t/special', ok)), route(['GET', 'PUT'], '/t/:id', ok)],
    ]);
    const answered = async (method: string, path: string): Promise<unknown[]> => {
      const { status, headers } = await fetch(url + path, { method });
      return [status, headers.get('allow')];
    };
    expect(await answered('POST', '/t/special')).to.deep.equal([200, null]);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await answered(method, '/t/special')).to.deep.equal([405, 'OPTIONS, POST']);
    }
    const wire = await open(port);
    wire.write('FOO /t/special HTTP/1.1\r\nHost: x\r\n\r\n');
    const unknown = await wire.response();
    expect([unknown.status, unknown.headers['allow']]).to.deep.equal([405, 'OPTIONS, POST']);
    expect(await answered('OPTIONS', '/t/special/')).to.deep.equal([204, 'OPTIONS, POST']);
    expect(await answered('GET', '/t/other')).to.deep.equal([200, null]);
    expect(await answered('POST', '/t/other')).to.deep.equal([405, 'GET, OPTIONS, PUT']);
  });

  it('takes HEAD only if it lists HEAD', async () => {
    const { url } = await start([[route(['GET'], '/t', ok), route(['GET', 'HEAD'], '/u', ok)]]);
    const answers = ['/t', '/u'].map(async (path) => {
      const { status, headers } = await fetch(url + path, { method: 'HEAD' });
      return [status, headers.get('allow')];
    });
    expect(await Promise.all(answers)).to.deep.equal([
      [405, 'GET, OPTIONS'],
      [200, null],
    ]);
  });

  it('is case-sensitive', async () => {
    const { url } = await start([routes({ 'GET /a': ok, 'GET /A': show })]);
    expect(await (await fetch(`${url}/A`)).json()).to.have.keys('params', 'captures');
    expect(await (await fetch(`${url}/a`)).json()).to.deep.equal({});
  });

  it('passes the parameters of the path by name, decoded', async () => {
    const { url } = await start([routes({ 'GET /:tenant/servers/:server': show })]);
    const { params } = (await (await fetch(`${url}/a%20b/servers/%C3%A4%2Fc`)).json()) as { params: unknown };
    expect(params).to.deep.equal({ tenant: 'a b', server: 'ä/c' });
  });

  it('passes the captures of a regular expression undecoded', async () => {
    const servers = { pattern: '/:tenant/servers/:server', expression: /^\/([^/]+)\/servers\/([^/]+)$/ };
    const { url } = await start([[route(['GET'], servers, show)]]);
    expect(await (await fetch(`${url}/a%20b/servers/c`)).json()).to.deep.equal({
      params: {},
      captures: ['a%20b', 'c'],
    });
  });

  it('calls its checks in order, up to the first that refuses', async () => {
    const seen: string[] = [];
    const check =
      (name: string): EdgeMiddleware =>
      (_ctx, next) => {
        seen.push(name);
        return next();
      };
    const refuse: EdgeMiddleware = () => {
      throw new Refusal('conflict', 'no further');
    };
    const { url } = await start([routes({ 'GET /t': [check('1'), check('2'), refuse, check('3'), ok] })]);
    const response = await fetch(`${url}/t`);
    expect(response.status).to.equal(409);
    expect((await errorIn(response)).message).to.equal('no further');
    expect(seen).to.deep.equal(['1', '2']);
  });

  it('rejects the next() of a check if a later handler throws synchronously', async () => {
    const fail: EdgeMiddleware = () => {
      throw new Error('at once');
    };
    const rescue: EdgeMiddleware = (ctx, next) =>
      next().catch((error: unknown) => {
        ctx.body = { caught: (error as Error).message };
      });
    const { url } = await start([routes({ 'GET /t': [rescue, fail] })]);
    expect(await (await fetch(`${url}/t`)).json()).to.deep.equal({ caught: 'at once' });
  });
});
