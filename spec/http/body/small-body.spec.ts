import { expect } from 'chai';
import { jsonBody } from '../../../src/http/body/body.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { edges, failingRead, routes } from '../edge.js';
import { wires } from '../wire/wire-client.js';

const read = jsonBody({ limit: 10_000 });

describe('a body that is not compressed', () => {
  const start = edges();
  const dial = wires();
  const head = 'POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

  for (const framing of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
    it(`is dropped if the client disconnects (${framing})`, async () => {
      const { attempt, failure } = failingRead(read);
      const { port } = await start([routes({ 'POST /t': attempt })]);
      const wire = await dial(port);
      wire.write(`${head}${framing}\r\n\r\n2\r\n{}\r\n`);
      wire.socket.end();
      expect(await failure).to.include({ code: 'unreadable' });
    });
  }

  it('is whole if it arrives in parts', async () => {
    const echo: EdgeMiddleware = async (ctx) => {
      ctx.body = { got: await read(ctx) };
    };
    const { port } = await start([routes({ 'POST /t': echo })]);
    const wire = await dial(port);
    wire.write(`${head}Content-Length: 12\r\n\r\n`);
    for (const part of ['{"a"', ':"b', 'c"}', '  ']) {
      wire.write(part);
      await new Promise(setImmediate);
    }
    expect((await wire.response()).body).to.equal('{"got":{"a":"bc"}}');
  });
});
