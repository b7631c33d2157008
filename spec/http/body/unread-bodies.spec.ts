import { once } from 'node:events';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Refusal } from '../../../src/errors.js';
import { jsonBody } from '../../../src/http/body/body.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { edges, ok, routes } from '../edge.js';
import { wires } from '../wire/wire-client.js';

const MiB = 1024 ** 2;
const body = jsonBody({ limit: MiB });
const refuse: EdgeMiddleware = () => {
  throw new Refusal('unauthorized', 'no');
};
const take: EdgeMiddleware = async (ctx) => {
  ctx.body = { taken: await body(ctx) };
};

describe('an unread body', () => {
  const start = edges();
  const dial = wires();
  const table = { 'POST /locked': refuse, 'POST /t': take, 'GET /t': ok };
  const json = { 'content-type': 'application/json' };

  for (const [path, status] of [
    ['/locked', 401],
    ['/t', 413],
    ['/none', 404],
  ] as const) {
    it(`of 10 MB does not prevent the client from reading its ${status}`, async () => {
      const { url } = await start([routes(table)]);
      const response = await fetch(url + path, {
        method: 'POST',
        headers: json,
        body: Buffer.alloc(10_000_000, 0x20),
      });
      expect(response.status).to.equal(status);
      await response.text();
    });

    it(`of 10 MB does not prevent a client with Connection: close from reading its ${status}`, async () => {
      const { url } = await start([routes(table)]);
      const headers = { ...json, connection: 'close' };
      const sending = request(url + path, { method: 'POST', headers, agent: false });
      sending.end(Buffer.alloc(10_000_000, 0x20));
      const [response] = (await once(sending, 'response')) as [{ statusCode: number; resume(): void }];
      expect(response.statusCode).to.equal(status);
      response.resume();
      await once(sending, 'close');
    });

    it(`of 10 MB, answered with ${status}, leaves the connection usable`, async () => {
      const { port } = await start([routes(table)]);
      const wire = await dial(port);
      wire.write(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n`,
      );
      expect((await wire.response()).status, 'before the body').to.equal(status);
      wire.write(Buffer.alloc(10_000_000, 0x20));
      wire.write('GET /t HTTP/1.1\r\nHost: a\r\n\r\n');
      expect((await wire.response()).status).to.equal(200);
    });
  }

  it('that exceeds the limit while it is inflated leaves the connection usable', async () => {
    const { port } = await start([routes(table)]);
    const wire = await dial(port);
    const bomb = gzipSync(Buffer.alloc(64 * MiB));
    wire.write(
      'POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n' +
        `Content-Length: ${bomb.length + 5 * MiB}\r\n\r\n`,
    );
    wire.write(bomb);
    expect((await wire.response()).status).to.equal(413);
    wire.write(Buffer.alloc(5 * MiB));
    wire.write('GET /t HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await wire.response()).status).to.equal(200);
  });

  for (const coding of ['identity', 'gzip']) {
    it(`that never ends is cut off (${coding})`, async () => {
      const { port } = await start([routes(table)]);
      const wire = await dial(port);
      wire.write(
        'POST /locked HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
          `Content-Encoding: ${coding}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      expect((await wire.response()).status).to.equal(401);
      const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MiB), Buffer.from('\r\n')]);
      let sent = 0;
      const more = (): void => {
        while (!wire.socket.destroyed && sent < 512 * MiB) {
          sent += MiB;
          if (!wire.socket.write(chunk)) return;
        }
      };
      wire.socket.on('drain', more);
      more();
      await wire.closed();
      expect(sent).to.be.within(32 * MiB, 256 * MiB);
    });
  }

  it('that stops arriving is dropped at the timeout of the request', async () => {
    const { port } = await start([routes(table)], { headersTimeoutMs: 2_000, requestTimeoutMs: 2_000 });
    const wire = await dial(port);
    wire.write('POST /locked HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n');
    expect((await wire.response()).status).to.equal(401);
    await wire.closed();
    const nothing = await wire.response().catch((error: unknown) => error);
    expect(nothing).to.match(/ended with "" received/);
  });

  it('that stops arriving is dropped with its connection', async () => {
    const { port } = await start([routes(table)], { headersTimeoutMs: 100, requestTimeoutMs: 200 });
    const wire = await dial(port);
    wire.write('POST /locked HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 100\r\n\r\n');
    const { status } = await wire.response();
    expect(status).to.equal(408);
    wire.socket.end();
    await wire.closed();
  });
});
