import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { EdgeMiddleware } from '../../src/http/context.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { edges, errorIn, ok, routes } from './edge.js';

describe('a streamed answer', () => {
  const start = edges();

  it('breaks the connection if it fails halfway, so that the client does not take it for complete', async () => {
    const { url, logged } = await start([
      routes({
        'GET /t': (ctx) => {
          async function* half() {
            yield 'the first half';
            // Not before the first half is sent.
            await new Promise(setImmediate);
            throw new Error('the source failed');
          }
          ctx.body = Readable.from(half(), { objectMode: false });
        },
      }),
    ]);
    const error = await fetch(`${url}/t`)
      .then((response) => response.text())
      .catch((error: unknown) => error);
    expect(error).to.be.instanceOf(Error);
    expect(JSON.stringify(logged)).to.contain('the source failed');
  });

  it('breaks the connection if its handler fails after the first bytes', async () => {
    const { url } = await start([
      routes({
        'GET /t': (ctx) => {
          ctx.status = 200;
          ctx.flushHeaders();
          ctx.res.write('the first half');
          throw new Error('the handler failed');
        },
      }),
    ]);
    const error = await fetch(`${url}/t`)
      .then((response) => response.text())
      .catch((error: unknown) => error);
    expect(error).to.be.instanceOf(Error);
  });

  it('may be empty, or complete before it starts', async () => {
    const { url } = await start([
      routes({
        'GET /empty': (ctx) => {
          ctx.body = Readable.from([]);
        },
        'GET /there': async (ctx) => {
          ctx.body = new Readable({ read: () => undefined });
          (ctx.body as Readable).push('all of it');
          (ctx.body as Readable).push(null);
        },
      }),
    ]);
    expect(await (await fetch(`${url}/empty`)).text()).to.equal('');
    expect(await (await fetch(`${url}/there`)).text()).to.equal('all of it');
  });

  it('starts before its first bytes if it is live, and counts as in flight until its end', async () => {
    const live: EdgeMiddleware = (ctx) => {
      ctx.type = 'text/event-stream';
      ctx.body = new Readable({ read: () => undefined });
      ctx.flushHeaders();
    };
    const admission = { maxInFlight: 1, exempt: [] };
    const { url } = await start([routes({ 'GET /live': live, 'GET /t': ok })], { admission });
    const response = await fetch(`${url}/live`);
    expect(response.status).to.equal(200);
    expect((await fetch(`${url}/t`)).status).to.equal(503);
    await response.body?.cancel();
    await eventually(
      async () => ((await fetch(`${url}/t`)).ok ? true : undefined),
      SOON_MS,
      () => 'still counted',
    );
  });

  for (const late of [false, true])
    it(`ends if its source was destroyed ${late ? 'long before' : 'just now'}`, async () => {
      const { url } = await start([
        routes({
          'GET /t': async (ctx) => {
            const stream = new Readable({ read: () => undefined }).destroy();
            if (late) await once(stream, 'close');
            ctx.body = stream;
          },
        }),
      ]);
      const error = await fetch(`${url}/t`).catch((error: unknown) => error);
      expect(error).to.be.instanceOf(TypeError);
    });

  it('is 500 with the request id if it fails before its first byte', async () => {
    const { url } = await start([
      routes({
        'GET /t': (ctx) => {
          ctx.body = new Readable({
            read() {
              this.destroy(new Error('the source failed'));
            },
          });
        },
      }),
    ]);
    const response = await fetch(`${url}/t`, { headers: { 'x-request-id': 'mine' } });
    expect([response.status, response.headers.get('x-request-id')]).to.deep.equal([500, 'mine']);
    expect((await errorIn(response)).title).to.equal('Internal Server Error');
  });
});
