import { expect } from 'chai';
import { problemErrors } from '../../src/http/failures/error-formats.js';
import { edges, errorIn, ok, routes } from './edge.js';
import { wires } from './wire/wire-client.js';

const groups = [{ prefix: '/recorded', errors: problemErrors, getsRecord: true }];
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

describe('a page of another site in a user’s browser', () => {
  const start = edges();
  const dial = wires();
  let asked: string[];

  beforeEach(() => {
    asked = [];
  });

  const table = Object.fromEntries(
    ['/plain', '/recorded', '/health'].flatMap((path) =>
      ['GET', ...METHODS].map((method) => [
        `${method} ${path}`,
        ((ctx, next) => {
          asked.push(`${method} ${path}`);
          return ok(ctx, next);
        }) satisfies typeof ok,
      ]),
    ),
  );
  const browsers = { hosts: ['Rules.example.org'], anyHost: ['/health'] };

  describe('with Sec-Fetch-Site: cross-site', () => {
    const headers = { 'sec-fetch-site': 'cross-site' };

    it('cannot change or record anything', async () => {
      const { url } = await start([routes(table)], { groups });
      for (const method of [...METHODS, 'BREW'])
        expect((await fetch(`${url}/plain`, { method, headers })).status, method).to.be.oneOf([403, 405]);
      for (const method of METHODS) {
        const response = await fetch(`${url}/plain`, { method, headers });
        expect(response.status, method).to.equal(403);
        expect((await errorIn(response)).message).to.contain('Sec-Fetch-Site: cross-site');
      }
      for (const method of ['GET', ...METHODS]) {
        const response = await fetch(`${url}/recorded`, { method, headers });
        expect(response.status, method).to.equal(403);
        expect(response.headers.get('content-type')).to.equal('application/problem+json');
      }
      expect(asked).to.deep.equal([]);
    });

    it('may read', async () => {
      const { url } = await start([routes(table)], { groups });
      expect((await fetch(`${url}/plain`, { headers })).status).to.equal(200);
      expect((await fetch(`${url}/recorded`, { method: 'OPTIONS', headers })).status).to.equal(204);
    });

    it('differs from pages of the same site and from clients without a browser, which are allowed', async () => {
      const { url } = await start([routes(table)], { groups });
      for (const site of ['same-origin', 'same-site', 'none', undefined]) {
        const own: Record<string, string> = site === undefined ? {} : { 'sec-fetch-site': site };
        expect((await fetch(`${url}/plain`, { method: 'POST', headers: own })).status).to.equal(200);
        expect((await fetch(`${url}/recorded`, { headers: own })).status).to.equal(200);
      }
    });
  });

  describe('whose name resolves to this machine', () => {
    /** Returns the status and the content type of an answer to a Host header. */
    async function ask(port: number, host: string, path = '/plain'): Promise<readonly [number, string]> {
      const wire = await dial(port);
      wire.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`);
      const { status, headers } = await wire.response();
      return [status, headers['content-type'] ?? ''];
    }

    it('is refused with 421, in the error format of the path', async () => {
      const { port } = await start([routes(table)], { groups, browsers });
      // A cached allowed name must not allow another one.
      expect((await ask(port, 'localhost'))[0]).to.equal(200);
      asked = [];
      for (const host of [
        'evil.example',
        'evil.example:8080',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        'xlocalhost',
        'rules.example.org.evil.example',
        'a.rules.example.org',
        'localhost@evil.example',
        'localhost,evil.example',
        '[evil.example]',
        '127.1',
        '',
      ]) {
        expect(await ask(port, host), host).to.deep.equal([421, 'application/json; charset=utf-8']);
        expect(await ask(port, host, '/recorded'), host).to.deep.equal([421, 'application/problem+json']);
      }
      expect(asked).to.deep.equal([]);
      expect((await ask(port, 'evil.example', '/health'))[0]).to.equal(200);
    });

    it('differs from IP addresses, loopback names and configured names, which are allowed with any port', async () => {
      const { port } = await start([routes(table)], { groups, browsers });
      for (const host of [
        '127.0.0.1',
        `127.0.0.1:${port}`,
        '10.1.2.3:1',
        '[::1]',
        '[fd00::7]:8080',
        'localhost',
        'LocalHost:8080',
        'localhost.',
        'app.localhost:1',
        'rules.example.org',
        'RULES.example.org:8443',
        'rules.example.org.',
      ]) {
        // Twice, because the second check uses the cache.
        for (const _ of [1, 2]) expect((await ask(port, host))[0], host).to.equal(200);
      }
    });

    it('is allowed if no names are configured, and so is HTTP/1.0 without a Host', async () => {
      const { port } = await start([routes(table)], { groups });
      expect((await ask(port, 'evil.example'))[0]).to.equal(200);
      const strict = await start([routes(table)], { groups, browsers });
      const wire = await dial(strict.port);
      wire.write('GET /plain HTTP/1.0\r\n\r\n');
      expect((await wire.response()).status).to.equal(200);
    });
  });
});
