import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { edges, ok, routes } from '../edge.js';
import { wires } from '../wire/wire-client.js';

// More than the buffers of the operating system.
const LARGE = Buffer.alloc(30_000_000);
const large: EdgeMiddleware = (ctx) => {
  ctx.body = LARGE;
};

describe('a client that does not read its answer', () => {
  const start = edges();
  const dial = wires();
  const admission = { maxInFlight: 1, exempt: [] };
  const table = routes({ 'GET /large': large, 'GET /t': ok });

  const served = (url: string, status: number) => async (): Promise<true | undefined> =>
    (await fetch(`${url}/t`).catch(() => undefined))?.status === status || undefined;

  it('counts as in flight until its connection closes', async () => {
    const { url, port } = await start([table], { admission });
    const wire = await dial(port);
    wire.socket.pause();
    wire.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(served(url, 503), SOON_MS, () => 'the permit was not taken');
    for (let i = 0; i < 10; i += 1) expect((await fetch(`${url}/t`)).status).to.equal(503);
    wire.socket.destroy();
    await eventually(served(url, 200), SOON_MS, () => 'the permit was not released');
  });

  it('is cut off after a while', async () => {
    const { url, port } = await start([table], { admission, idleTimeoutMs: 4_000 });
    const wire = await dial(port);
    wire.socket.pause();
    wire.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(served(url, 503), SOON_MS, () => 'the permit was not taken');
    await eventually(served(url, 200), SOON_MS, () => 'the connection was not torn');
  });

  it('is not cut off while a longer stream makes progress', async () => {
    async function* slowly() {
      for (let i = 0; i < 25; i += 1) {
        yield 'x';
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    const stream: EdgeMiddleware = (ctx) => {
      ctx.body = Readable.from(slowly(), { objectMode: false });
    };
    const { url } = await start([routes({ 'GET /stream': stream })], { idleTimeoutMs: 2_000 });
    expect(await (await fetch(`${url}/stream`)).text()).to.equal('x'.repeat(25));
  });
});
