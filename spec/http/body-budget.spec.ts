import { expect } from 'chai';
import { jsonBody } from '../../src/http/body.js';
import type { EdgeMiddleware } from '../../src/http/context.js';
import { eventually } from '../faults/eventually.js';
import { edges, errorIn, routes } from './edge.js';
import { wires } from './wire-client.js';

describe('the bytes of all bodies under way', () => {
  const start = edges();
  const dial = wires();

  for (const [name, header] of [
    ['announced', 'Content-Length: 800'],
    ['not announced', 'Transfer-Encoding: chunked'],
    ['compressed', 'Content-Encoding: gzip\r\nContent-Length: 3'],
  ] as const) {
    it(`are bounded where they are ${name}: 503 until there is room again`, async () => {
      const body = jsonBody({ limit: 1000, budget: 1000 });
      let arrived: () => void = () => undefined;
      const reading = new Promise<void>((resolve) => (arrived = resolve));
      const take: EdgeMiddleware = async (ctx) => {
        const done = body(ctx);
        arrived();
        ctx.body = { taken: await done };
      };
      const { url, port } = await start([routes({ 'POST /t': take })]);
      const wire = await dial(port);
      wire.write(`POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${header}\r\n\r\n`);
      await reading;
      const post = (): Promise<Response> =>
        fetch(`${url}/t`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify('x'.repeat(398)),
        });
      const refused = await post();
      expect(refused.status).to.equal(503);
      expect(refused.headers.get('retry-after')).to.equal('1');
      expect((await errorIn(refused)).message).to.contain('nothing was done');
      wire.socket.destroy();
      await eventually(
        async () => (await post()).ok || undefined,
        5_000,
        () => 'the room of a client that went away was not freed',
      );
      // What was refused or read has given its room back, too.
      for (let i = 0; i < 5; i += 1) expect((await post()).status).to.equal(200);
    });
  }
});
