import { expect } from 'chai';
import { jsonBody } from '../../../src/http/body/body.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { edges, ok, routes } from '../edge.js';
import { wires } from '../wire/wire-client.js';

const uuid = /^[0-9a-f]{8}-/;
const body = jsonBody({ limit: 1_048_576 });
const take: EdgeMiddleware = async (ctx) => {
  ctx.body = { taken: await body(ctx) };
};

function messageIn(text: string): string {
  return (JSON.parse(text) as { error: { message: string } }).error.message;
}

describe('timeouts of requests', () => {
  const start = edges();
  const dial = wires();
  const table = { 'POST /t': take };
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 300 };
  /** Limits in which a slow machine receives the headers of a request. */
  const ample = { headersTimeoutMs: 2_000, requestTimeoutMs: 2_000 };

  for (const [what, bytes] of [
    ['nothing at all', ''],
    ['half a first line', 'POST /t HT'],
    ['half of the headers', 'POST /t HTTP/1.1\r\nHost: a\r\nContent-'],
  ]) {
    it(`answer 408 to incomplete headers: ${what}`, async () => {
      const { port } = await start([routes(table)], limits);
      const wire = await dial(port);
      if (bytes !== '') wire.write(bytes!);
      const { status, headers, body: text } = await wire.response();
      expect(status).to.equal(408);
      expect(headers['x-request-id']).to.match(uuid);
      expect(headers['connection']).to.equal('close');
      expect(messageIn(text)).to.contain('headers within 0.1 s').and.contain('0.3 s');
      wire.socket.end();
      await wire.closed();
    });
  }

  it('are not extended by headers sent byte by byte', async () => {
    const { port } = await start([routes(table)], limits);
    const wire = await dial(port);
    wire.write('POST /t HTTP/1.1\r\nX: ');
    const drip = setInterval(() => wire.write('a'), 20);
    const { status } = await wire.response().finally(() => clearInterval(drip));
    expect(status).to.equal(408);
  });

  for (const encoding of ['', 'Content-Encoding: gzip\r\n']) {
    it(`answer 408 with the request id to half a body (${encoding.trim() || 'plain'})`, async () => {
      const { port, logged } = await start([routes(table)], ample);
      const wire = await dial(port);
      wire.write(
        `POST /t HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\nContent-Type: application/json\r\n${encoding}` +
          'Content-Length: 100\r\n\r\n',
      );
      wire.write(Buffer.from([0x1f, 0x8b, 8, 0]));
      const { status, headers } = await wire.response();
      expect([status, headers['x-request-id']]).to.deep.equal([408, 'mine']);
      expect(logged.map(({ path, status }) => [path, status])).to.deep.include(['/t', 408]);
      wire.socket.end();
      await wire.closed();
    });
  }

  it('do not end the idle time between requests', async () => {
    const { port } = await start([routes({ 'GET /t': ok })], ample);
    const wire = await dial(port);
    wire.write('GET /t HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await wire.response()).headers['keep-alive']).to.equal('timeout=61');
    const other = await dial(port);
    await other.response();
    wire.write('GET /t HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await wire.response()).status).to.equal(200);
  });
});

describe('expectations and upgrades', () => {
  const start = edges();
  const dial = wires();

  it('are met for 100-continue', async () => {
    const { port } = await start([routes({ 'POST /t': take })]);
    const wire = await dial(port);
    wire.write(
      'POST /t HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n',
    );
    expect((await wire.response()).status).to.equal(100);
    wire.write('{}');
    expect((await wire.response()).body).to.equal('{"taken":{}}');
  });

  it('are refused with 417 for anything else', async () => {
    const { port } = await start([routes({ 'GET /t': ok })]);
    const wire = await dial(port);
    wire.write('GET /t HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\nExpect: wonders\r\n\r\n');
    const { status, headers, body: text } = await wire.response();
    expect([status, headers['x-request-id']]).to.deep.equal([417, 'mine']);
    expect(messageIn(text)).to.contain('100-continue');
  });

  it('to another protocol are ignored', async () => {
    const { port } = await start([routes({ 'GET /t': ok })]);
    const wire = await dial(port);
    wire.write('GET /t HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect((await wire.response()).status).to.equal(200);
  });
});
