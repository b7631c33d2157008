import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { edges, held, ok, routes } from './edge.js';
import { wires } from './wire-client.js';

const getHeld = 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n';

describe('the server', () => {
  const start = edges();
  const dial = wires();

  it('tells where it listens', async () => {
    const { url, port } = await start([routes({ 'GET /t': ok })]);
    expect(url).to.equal(`http://127.0.0.1:${port}`);
    expect((await fetch(`${url}/t`)).status).to.equal(200);
  });

  for (const [host, name] of [
    ['0.0.0.0', 'localhost'],
    ['::1', '[::1]'],
  ] as const) {
    it(`is reached under the address it tells when it listens on ${host}`, async () => {
      const { url, port } = await start([routes({ 'GET /t': ok })], { host });
      expect(url).to.equal(`http://${name}:${port}`);
      expect((await fetch(`${url}/t`)).status).to.equal(200);
    });
  }

  it('rejects when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      const error = await start([], { port }).catch((error: unknown) => error);
      expect(error).to.include({ code: 'EADDRINUSE' });
    } finally {
      other.close();
    }
  });

  describe('closing', () => {
    it('lets the request in flight end, and takes no new connection', async () => {
      const { router, arrived, release } = held();
      const edge = await start([router]);
      const wire = await dial(edge.port);
      wire.write(getHeld);
      await arrived;
      const closed = edge.close(60_000);
      const refused = await fetch(`${edge.url}/held`).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(TypeError);
      release();
      expect((await wire.response()).body).to.equal('{"held":true}');
      await wire.closed();
      await closed;
    });

    it('ends connections that are only kept alive at once', async () => {
      const edge = await start([routes({ 'GET /t': ok })]);
      const wire = await dial(edge.port);
      wire.write('GET /t HTTP/1.1\r\nHost: a\r\n\r\n');
      await wire.response();
      await edge.close(60_000);
      await wire.closed();
    });

    it('tears what has not ended within the grace', async () => {
      const { router, arrived } = held();
      const edge = await start([router]);
      const wire = await dial(edge.port);
      wire.write(getHeld);
      await arrived;
      await edge.close(50);
      const error = await wire.response().catch((error: unknown) => error);
      expect(error).to.be.instanceOf(Error);
    });
  });
});
