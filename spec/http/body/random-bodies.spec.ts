import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { jsonBody } from '../../../src/http/body/body.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { parseJson } from '../../../src/untrusted/json-text.js';
import { cases } from '../../cases.js';
import { edges, routes } from '../edge.js';
import { wires } from '../wire/wire-client.js';

const read = jsonBody({ limit: 2000 });
const take: EdgeMiddleware = async (ctx) => {
  ctx.body = { got: typeof (await read(ctx)) };
};

const fragments = '{ } [ ] : , " \\ \\u d D8 f c C 0 1 - . e E true nul a \t'.split(' ');

/** Arbitrary bytes, from noise to almost valid JSON. */
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 100 }),
  fc.json().map((text) => Buffer.from(text)),
  fc.string({ unit: fc.constantFrom(...fragments), maxLength: 60 }).map((text) => Buffer.from(text)),
  fc.tuple(fc.json(), fc.nat(), fc.nat(255)).map(([text, at, byte]) => {
    const bytes = Buffer.from(text);
    bytes[at % bytes.length] = byte;
    return bytes;
  }),
);

describe('arbitrary bodies', () => {
  const start = edges();
  const dial = wires();

  it('are accepted or refused as by JSON.parse, and never cause another error', () => {
    const runs = cases(20_000, 4_000);
    let taken = 0;
    fc.assert(
      fc.property(bodies, (bytes) => {
        let value: unknown;
        try {
          value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
        } catch {
          expect(() => parseJson(Buffer.from(bytes)))
            .to.throw()
            .with.property('code')
            .that.is.oneOf(['unreadable', 'bad-request']);
          return;
        }
        taken += 1;
        if (JSON.stringify(value).includes(String.raw`\ud`)) return;
        expect(parseJson(Buffer.from(bytes))).to.deep.equal(value);
      }),
      { numRuns: runs },
    );
    expect(taken).to.be.greaterThan(runs / 10);
  });

  it('are answered on successive connections, never with 5xx', async () => {
    const { port } = await start([routes({ 'POST /t': take })]);
    let wire = await dial(port);
    const send = fc.asyncProperty(
      bodies,
      fc.constantFrom('', 'gzip', 'deflate', 'as-gzip'),
      fc.boolean(),
      async (bytes, coding, chunked) => {
        const body = coding === 'as-gzip' ? gzipSync(bytes) : Buffer.from(bytes);
        const encoding = coding === '' ? '' : `Content-Encoding: ${coding.replace('as-', '')}\r\n`;
        const framing =
          chunked && body.length > 0 ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
        if (wire.socket.destroyed) wire = await dial(port);
        wire.write(
          `POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${encoding}${framing}\r\n\r\n`,
        );
        if (framing.startsWith('T'))
          wire.write(
            Buffer.concat([
              Buffer.from(`${body.length.toString(16)}\r\n`),
              body,
              Buffer.from('\r\n0\r\n\r\n'),
            ]),
          );
        else wire.write(body);
        expect((await wire.response()).status).to.be.oneOf([200, 400, 413]);
      },
    );
    await fc.assert(send, { numRuns: cases(3_000, 300) });
  });

  it('are answered as complete requests, never with 5xx', async () => {
    const { port } = await start([routes({ 'POST /t': take })], {
      headersTimeoutMs: 200,
      requestTimeoutMs: 300,
    });
    const heads = fc.constantFrom(
      '',
      'GET /t HTTP/1.1\r\n',
      'POST /t HTTP/1.1\r\nHost: a\r\n',
      'POST /t HTTP/1.1\r\nHost: a\r\n\r\n',
      'BREW /',
    );
    const send = fc.asyncProperty(
      heads,
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      async (head, bytes) => {
        const wire = await dial(port);
        wire.write(Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n\r\n')]));
        const { status, headers } = await wire.response();
        expect(status).to.be.within(200, 499);
        expect(headers['x-request-id']).to.be.a('string');
        wire.socket.destroy();
      },
    );
    await fc.assert(send, { numRuns: cases(500, 50) });
  });
});
