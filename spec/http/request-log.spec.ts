import { expect } from 'chai';
import { Refusal } from '../../src/errors.js';
import type { EdgeMiddleware } from '../../src/http/context.js';
import type { Observe } from '../../src/http/request-log.js';
import { route } from '../../src/http/router.js';
import { edges, ok, routes } from './edge.js';

const broken: EdgeMiddleware = () => {
  const driver = Object.assign(new Error('the driver failed', { cause: new TypeError('deep down') }), {
    code: 'E11000',
    document: 'secret-document',
  });
  throw new Error('it failed', { cause: driver });
};

describe('the request log', () => {
  const start = edges();
  const table = {
    'GET /t/:id': ok,
    'GET /broken': broken,
    'GET /down': () => {
      throw new Refusal('unavailable', 'come back');
    },
  };

  it('logs an answer at debug', async () => {
    const { url, logged } = await start([routes(table)]);
    await fetch(`${url}/t/1?token=secret`, { headers: { 'x-request-id': 'mine' } });
    const { time: _time, pid: _pid, hostname: _hostname, ms, ...line } = logged[0] ?? {};
    expect(line).to.deep.equal({
      level: 20,
      requestId: 'mine',
      method: 'GET',
      path: '/t/1',
      status: 200,
      msg: 'request answered',
    });
    expect(ms).to.be.a('number').within(0, 10_000);
    expect(logged).to.have.length(1);
  });

  it('logs a refusal at debug', async () => {
    const { url, logged } = await start([routes(table)]);
    await fetch(`${url}/none`);
    expect(logged.map(({ level, status }) => [level, status])).to.deep.equal([[20, 404]]);
  });

  it('logs neither without debug', async () => {
    const { url, logged } = await start([routes(table)], { level: 'info' });
    await fetch(`${url}/t/1`);
    await fetch(`${url}/none`);
    expect(logged).to.deep.equal([]);
  });

  it('logs failures of the service at error, with the stacks of all causes', async () => {
    const { url, logged } = await start([routes(table)], { level: 'error' });
    await fetch(`${url}/broken`);
    await fetch(`${url}/down`);
    expect(logged.map(({ level, status }) => [level, status])).to.deep.equal([
      [50, 500],
      [50, 503],
    ]);
    const text = JSON.stringify(logged[0]);
    for (const part of ['it failed', 'request-log.spec', 'the driver failed', 'E11000', 'deep down']) {
      expect(text).to.contain(part);
    }
  });

  it('omits queries, headers, bodies and the additional members of errors', async () => {
    const { url, logged } = await start([routes({ ...table, 'POST /broken': broken })], { level: 'trace' });
    await fetch(`${url}/broken?q=secret-query`, {
      method: 'POST',
      headers: { 'x-auth-token': 'secret-token', 'x-other': 'secret-header' },
      body: 'secret-body',
    });
    expect(logged).to.have.length(1);
    expect(JSON.stringify(logged)).not.to.contain('secret');
  });

  it('cuts paths that are longer than any known one', async () => {
    const { url, logged } = await start([routes(table)]);
    await fetch(`${url}/${'a'.repeat(10_000)}`);
    expect(logged[0]?.['path']).to.have.length(1100);
  });

  it('reports every answer to observe, also without a log line', async () => {
    const seen: unknown[] = [];
    const observe: Observe = (method, status, seconds, pattern) => {
      expect(seconds).to.be.within(0, 5);
      seen.push([method, status, pattern]);
    };
    const named = { pattern: '/found/:name', expression: /^\/found\/(\w+)$/ };
    const { url } = await start([routes({ 'GET /fine/:name': ok, ...table }), [route(['GET'], named, ok)]], {
      level: 'silent',
      observe,
    });
    const paths = ['fine/a', 'fine/b', 'found/c', 'broken', 'down', 'nowhere'];
    for (const path of paths) await fetch(`${url}/${path}`);
    expect(seen).to.deep.equal([
      ['GET', 200, '/fine/:name'],
      ['GET', 200, '/fine/:name'],
      ['GET', 200, '/found/:name'],
      ['GET', 500, '/broken'],
      ['GET', 503, '/down'],
      ['GET', 404, undefined],
    ]);
  });
});
