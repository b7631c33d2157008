import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createConnection } from 'node:net';
import { expect } from 'chai';
import { StartError } from '../../src/errors.js';
import { edges, held, ok, routes } from './edge.js';
import type { EdgeMiddleware } from '../../src/http/context.js';
import { wires } from './wire/wire-client.js';

const getHeld = 'GET /held HTTP/1.1\r\nHost: a\r\n\r\n';

describe('the server', () => {
  const start = edges();
  const dial = wires();

  it('returns its url and port', async () => {
    const { url, port } = await start([routes({ 'GET /t': ok })]);
    expect(url).to.equal(`http://127.0.0.1:${port}`);
    expect((await fetch(`${url}/t`)).status).to.equal(200);
  });

  for (const [host, name] of [
    ['0.0.0.0', 'localhost'],
    ['::1', '[::1]'],
  ] as const) {
    it(`is reached under its url if it listens on ${host}`, async () => {
      const { url, port } = await start([routes({ 'GET /t': ok })], { host });
      expect(url).to.equal(`http://${name}:${port}`);
      expect((await fetch(`${url}/t`)).status).to.equal(200);
    });
  }

  it('says how to resolve a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      const error = await start([], { port }).catch((error: unknown) => error);
      expect(error).to.be.instanceOf(StartError);
      const hint = `stop it, or choose another port with PORT=${port === 65_535 ? 8081 : port + 1}`;
      expect((error as Error).message).to.equal(`127.0.0.1:${port} is in use by another program: ${hint}`);
    } finally {
      other.close();
    }
  });

  it('says how to resolve an address of another machine', async () => {
    const error = await start([], { host: '192.0.2.1' }).catch((error: unknown) => error);
    expect(error).to.be.instanceOf(StartError);
    expect((error as Error).message)
      .to.contain('192.0.2.1 is not an address of this machine')
      .and.contain('HOST');
  });

  it('reads headers after the 2,000th', async () => {
    const last: EdgeMiddleware = (ctx) => {
      ctx.body = { last: ctx.get('x-last') };
    };
    const { port } = await start([routes({ 'GET /t': last })]);
    const wire = await dial(port);
    wire.write(`GET /t HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(2100)}X-Last: seen\r\n\r\n`);
    expect((await wire.response()).body).to.equal('{"last":"seen"}');
  });

  it('refuses two Host headers', async () => {
    const { port } = await start([routes({ 'GET /t': ok })]);
    const wire = await dial(port);
    wire.write('GET /t HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n');
    const { status, body } = await wire.response();
    expect(status).to.equal(400);
    expect(body).to.contain('the Host header must be given once');
  });

  it('matches paths case-sensitively', async () => {
    const { url } = await start([routes({ 'GET /v1.0/:id': ok })]);
    expect((await fetch(`${url}/v1.0/A`)).status).to.equal(200);
    expect((await fetch(`${url}/V1.0/A`)).status).to.equal(404);
    expect((await fetch(`${url}/V1.0/A`, { method: 'POST' })).status).to.equal(404);
  });

  describe('closing', () => {
    it('waits for the request in flight, and accepts no new connection', async () => {
      const { router, arrived, release } = held();
      const edge = await start([router]);
      const wire = await dial(edge.port);
      wire.write(getHeld);
      await arrived;
      const closed = edge.close(60_000);
      const refused = await fetch(`${edge.url}/held`).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(TypeError);
      release();
      const { headers, body } = await wire.response();
      expect([headers['connection'], body]).to.deep.equal(['close', '{"held":true}']);
      await wire.closed();
      await closed;
    });

    it('announces the end of the connection to a request on an open one', async () => {
      const events = held();
      const edge = await start([events.router, routes({ 'GET /t': ok })]);
      const wire = await dial(edge.port);
      wire.write('GET /t HTTP/1.1\r\nHost: a\r\n');
      // The connection is busy once its request has begun; a second request shows that the server has seen it.
      const other = await dial(edge.port);
      other.write(getHeld);
      await events.arrived;
      const closed = edge.close(60_000);
      wire.write('\r\n');
      expect((await wire.response()).headers['connection']).to.equal('close');
      events.release();
      await closed;
    });

    it('closes idle connections at once', async () => {
      const edge = await start([routes({ 'GET /t': ok })]);
      const wire = await dial(edge.port);
      wire.write('GET /t HTTP/1.1\r\nHost: a\r\n\r\n');
      await wire.response();
      await edge.close(60_000);
      await wire.closed();
    });

    it('closes the remaining connections after the grace period', async () => {
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

  it('does not wait for connections without a request', async () => {
    const edge = await start([routes({ 'GET /': ok })]);
    const silent = createConnection(edge.port, '127.0.0.1');
    await once(silent, 'connect');
    expect((await fetch(edge.url)).status).to.equal(200);
    const ended = once(silent, 'close');
    await edge.close(60_000);
    await ended;
  });
});
