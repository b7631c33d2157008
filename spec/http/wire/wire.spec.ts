import { expect } from 'chai';
import { jsonBody } from '../../../src/http/body/body.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { edges, held, ok, routes } from '../edge.js';
import { wires } from './wire-client.js';

const uuid = /^[0-9a-f]{8}-/;
const body = jsonBody({ limit: 1_048_576 });
const take: EdgeMiddleware = async (ctx) => {
  ctx.body = { taken: await body(ctx) };
};

function messageIn(text: string): string {
  return (JSON.parse(text) as { error: { message: string } }).error.message;
}

describe('requests that node does not serve', () => {
  const start = edges();
  const dial = wires();
  const table = { 'POST /t/:id': take, 'GET /t/:id': ok };

  for (const method of ['BREW', 'get', 'GETX', 'X', 'DESCRIBE', 'M-SEARCHED', '!#$', 'A'.repeat(300)]) {
    it(`are answered with 405 and Allow for the method ${method.slice(0, 20)} of a known path`, async () => {
      const { port, logged } = await start([routes(table)]);
      const wire = await dial(port);
      wire.write(`${method} /t/1.json?secret=1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n`);
      const { status, headers, body: text } = await wire.response();
      expect(status).to.equal(405);
      expect(headers).to.include({
        allow: 'GET, HEAD, OPTIONS, POST',
        'x-request-id': 'mine',
        connection: 'close',
      });
      expect(JSON.parse(text)).to.deep.include.keys('error');
      expect(text.length).to.be.lessThan(500);
      expect(logged.map(({ path, status }) => [path, status])).to.deep.equal([['/t/1.json', 405]]);
      wire.socket.end();
      await wire.closed();
    });
  }

  it('are told to who looks at refusals, as are those of routes: each 4xx once, and no other answer', async () => {
    const seen: unknown[] = [];
    const failing: EdgeMiddleware = () => {
      throw new Error('fault');
    };
    const { port, url } = await start([routes({ ...table, 'GET /fails': failing })], {
      headersTimeoutMs: 2_000,
      requestTimeoutMs: 2_000,
      onRefused: (request) => seen.push(request),
    });
    const wire = await dial(port);
    wire.write(
      'POST /t/1?secret=1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
    expect((await wire.response()).status).to.equal(408);
    await fetch(`${url}/t/2`, { method: 'POST' });
    await fetch(`${url}/t/2`);
    await fetch(`${url}/none`);
    await fetch(`${url}/fails`);
    expect(seen.map((one) => ({ ...(one as object), message: '' }))).to.deep.equal([
      { method: 'POST', path: '/t/1', status: 408, message: '' },
      { method: 'POST', path: '/t/2', status: 400, message: '', tenant: undefined },
      { method: 'GET', path: '/none', status: 404, message: '', tenant: undefined },
    ]);
    expect(JSON.stringify(seen)).not.to.include('secret');
  });

  it('are answered with 404 for an unknown method of an unknown path', async () => {
    const { port } = await start([routes(table)]);
    const wire = await dial(port);
    wire.write('BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n');
    const { status, headers } = await wire.response();
    expect(status).to.equal(404);
    expect(headers['x-request-id']).to.match(uuid);
    expect(headers).not.to.have.property('allow');
  });

  it('are answered with 400 for an unknown method of a path with an invalid percent-encoding', async () => {
    const { port } = await start([routes(table)]);
    const wire = await dial(port);
    wire.write('BREW /t/%zz HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await wire.response()).status).to.equal(400);
  });

  for (const [target, expected] of [
    ['/t/1', 405],
    ['/none', 404],
    ['db.example:443', 404],
  ] as const) {
    it(`are answered with ${expected} for CONNECT ${target}`, async () => {
      const { port } = await start([routes(table)]);
      const wire = await dial(port);
      wire.write(`CONNECT ${target} HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n`);
      const { status, headers } = await wire.response();
      expect([status, headers['x-request-id']]).to.deep.equal([expected, 'mine']);
      expect(headers['allow']).to.equal(expected === 405 ? 'GET, HEAD, OPTIONS, POST' : undefined);
      wire.socket.end();
      await wire.closed();
    });
  }

  const faulty: [string, string | Buffer, number][] = [
    ['no HTTP', 'hello there\r\n\r\n', 400],
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex'), 400],
    ['a blank in its target', 'GET /t/a b HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['HTTP/3.7', 'GET /t/1 HTTP/3.7\r\nHost: a\r\n\r\n', 400],
    ['a header without a colon', 'GET /t/1 HTTP/1.1\r\nHost a\r\n\r\n', 400],
    ['a negative length', 'POST /t/1 HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
    [
      'two lengths',
      'POST /t/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['headers over 16 KiB', `GET /t/1 HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a target over 16 KiB', `GET /t/${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ];
  for (const [what, bytes, expected] of faulty) {
    it(`are answered with ${expected} for ${what}`, async () => {
      const { port } = await start([routes(table)]);
      const wire = await dial(port);
      wire.write(bytes);
      const { status, headers, body: text } = await wire.response();
      expect(status).to.equal(expected);
      expect(headers['x-request-id']).to.match(uuid);
      expect(headers['connection']).to.equal('close');
      expect(messageIn(text)).to.be.a('string').with.length.within(10, 150);
      wire.socket.end();
      await wire.closed();
    });
  }

  it('are answered with 400 for an invalid chunk in their body, with their own request id', async () => {
    const { port } = await start([routes(table)]);
    const wire = await dial(port);
    wire.write(
      'POST /t/1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\nContent-Type: application/json\r\n' +
        'Transfer-Encoding: chunked\r\n\r\nzz\r\n',
    );
    const { status, headers } = await wire.response();
    expect([status, headers['x-request-id']]).to.deep.equal([400, 'mine']);
  });

  it('neither delay nor mix with the answer to the request before', async () => {
    const { router, arrived, release } = held();
    const { port } = await start([routes(table), router]);
    const wire = await dial(port);
    wire.write(
      'GET /held HTTP/1.1\r\nHost: a\r\n\r\nBREW /t/1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n',
    );
    await arrived;
    release();
    expect((await wire.response()).body).to.equal('{"held":true}');
    const second = await wire.response();
    expect([second.status, second.headers['x-request-id']]).to.deep.equal([405, 'mine']);
  });

  for (const method of ['BREW', 'CONNECT']) {
    it(`get their answer if they send everything before they read (${method})`, async () => {
      const { port } = await start([routes(table)]);
      const wire = await dial(port);
      wire.socket.pause();
      wire.write(`${method} /t/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n`);
      const failed = await new Promise((resolve) => wire.socket.write(Buffer.alloc(20_000_000), resolve));
      expect(failed ?? undefined).to.equal(undefined);
      wire.socket.resume();
      expect((await wire.response()).status).to.equal(405);
    });

    it(`may reset their connection (${method})`, async () => {
      const { url, port } = await start([routes(table)]);
      for (let i = 0; i < 20; i += 1) {
        const wire = await dial(port);
        wire.write(`${method} /t/1 HTTP/1.1\r\nHost: a\r\n\r\n`);
        if (i % 2 === 0) await wire.response();
        wire.socket.resetAndDestroy();
      }
      expect((await fetch(`${url}/t/1`)).status).to.equal(200);
    });

    it(`are closed as soon as the client closes (${method})`, async () => {
      const { port } = await start([routes(table)]);
      const wire = await dial(port);
      wire.write(`${method} /t/1 HTTP/1.1\r\nHost: a\r\n\r\n`);
      await wire.response();
      const before = performance.now();
      wire.socket.end();
      await wire.closed();
      expect(performance.now() - before).to.be.lessThan(1500);
    });
  }

  it('are closed after a while if the client keeps sending', async () => {
    const { port } = await start([routes(table)]);
    const wire = await dial(port);
    wire.socket.allowHalfOpen = true;
    wire.write('BREW /t/1 HTTP/1.1\r\nHost: a\r\n\r\n');
    await wire.response();
    const chatter = setInterval(() => wire.write('and another thing'), 50);
    await wire.closed().finally(() => clearInterval(chatter));
    expect(wire.socket.destroyed).to.equal(true);
  });
});
