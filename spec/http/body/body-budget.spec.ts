import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { jsonBody } from '../../../src/http/body/body.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { edges, routes } from '../edge.js';
import { type Answered, ask, messageOf } from '../admission/from-address.js';
import { wires } from '../wire/wire-client.js';

const STRANGER = '127.0.0.7';

describe('the limit of all bodies being received', () => {
  const start = edges();
  const dial = wires();
  const read = jsonBody({ limit: 200_000 });
  const take: EdgeMiddleware = async (ctx) => {
    ctx.body = { taken: await read(ctx) };
  };
  const admission = { maxInFlight: 100, bodyBytes: 200_000, exempt: [] };

  /** Starts an edge, and a client that has sent headers and `bytes` and waits. */
  async function beside(headers: string, bytes: Buffer) {
    const { url, port } = await start([routes({ 'POST /t': take })], { admission });
    const wire = await dial(port);
    wire.write(`POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`);
    wire.write(bytes);
    const post = (length: number, from?: string): Promise<Answered> =>
      ask(`${url}/t`, {
        ...(from === undefined ? {} : { from }),
        body: JSON.stringify('x'.repeat(length - 2)),
      });
    const once = (length: number, status: number, from?: string): Promise<Answered> =>
      eventually(
        async () => {
          const answered = await post(length, from);
          return answered.status === status ? answered : undefined;
        },
        SOON_MS,
        () => `${length} bytes from ${from ?? 'the same address'} were not answered with ${status}`,
      );
    return { wire, post, once };
  }

  for (const [name, header, bytes] of [
    ['announced', 'Content-Length: 100000', Buffer.from('')],
    ['not announced', 'Transfer-Encoding: chunked', Buffer.from('')],
    ['compressed', 'Content-Encoding: gzip\r\nContent-Length: 100000', gzipSync('"').subarray(0, 10)],
  ] as const) {
    it(`counts no bytes before they arrive (${name})`, async () => {
      const { post } = await beside(header, bytes);
      for (let i = 0; i < 5; i += 1) expect((await post(90_000)).status).to.equal(200);
    });
  }

  const half = Buffer.from(`"${'x'.repeat(89_999)}`);
  for (const [name, header, bytes] of [
    ['announced', 'Content-Length: 120000', half],
    ['not announced', 'Transfer-Encoding: chunked', Buffer.concat([Buffer.from('15f90\r\n'), half])],
    // The content is complete; the end of the stream is missing.
    ['compressed', 'Content-Encoding: gzip\r\nContent-Length: 120000', gzipSync(half).subarray(0, -4)],
  ] as const) {
    it(`answers 503 while too many bytes have arrived (${name})`, async () => {
      const { wire, once, post } = await beside(header, bytes);
      const refused = await once(95_000, 503, STRANGER);
      expect(refused.headers['retry-after']).to.equal('1');
      expect(messageOf(refused)).to.contain('too many bytes').and.contain('nothing was done');
      expect((await post(40_000, STRANGER)).status, 'what there is room for').to.equal(200);
      wire.socket.destroy();
      await once(95_000, 200, STRANGER);
      // Refused and read bodies no longer count.
      for (let i = 0; i < 5; i += 1) expect((await post(95_000)).status).to.equal(200);
    });
  }

  it('limits a client address first, which leaves room for others', async () => {
    const { once, post } = await beside('Content-Length: 120000', half);
    expect(messageOf(await once(30_000, 503))).to.contain('from this client address');
    expect((await post(30_000, STRANGER)).status).to.equal(200);
  });
});
