import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { jsonBody } from '../../../src/http/body/body.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { edges, errorIn, failingRead, routes } from '../edge.js';
import { wires } from '../wire/wire-client.js';

const LIMIT = 10_000;
const read = jsonBody({ limit: LIMIT });
const echo: EdgeMiddleware = async (ctx) => {
  ctx.body = { got: await read(ctx) };
};

describe('the body of a request', () => {
  const start = edges();
  const dial = wires();

  async function send(
    body: string | Uint8Array<ArrayBuffer> | undefined,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const { url } = await start([routes({ 'POST /t': echo })]);
    const all = { 'content-type': 'application/json', ...headers };
    return fetch(`${url}/t`, { method: 'POST', headers: all, ...(body === undefined ? {} : { body }) });
  }

  async function expectRefused(response: Response, status: number, message: string): Promise<void> {
    expect(response.status).to.equal(status);
    expect((await errorIn(response)).message).to.contain(message);
  }

  it('is the JSON that was sent', async () => {
    const value = { text: 'Grüße, 世界 🎉', list: [1, -2.5e3, true, null, ''], deep: { a: {} } };
    expect(await (await send(JSON.stringify(value))).json()).to.deep.equal({ got: value });
  });

  for (const text of ['1', '"a"', 'null', 'false', ' [] \n']) {
    it(`may be ${JSON.stringify(text)}`, async () => {
      expect(await (await send(text)).json()).to.deep.equal({ got: JSON.parse(text) as unknown });
    });
  }

  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json;',
    'application/json; charset=utf-8',
    'application/json ;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json;charset="UTF8"',
    'application/json; charset=unicode-1-1-utf-8',
    'application/json; profile="a"; charset=utf-8 ; x=1',
  ]) {
    it(`may be ${type}`, async () => {
      expect((await send('{}', { 'content-type': type })).status).to.equal(200);
    });
  }

  for (const type of [
    'text/plain',
    'application/ld+json',
    'application/jsonp',
    'application/json, application/json',
    'application/x-www-form-urlencoded',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=utf88',
    'application/json; charset=utf_8',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset=',
  ]) {
    it(`is refused with the type ${type}`, async () => {
      await expectRefused(
        await send('{}', { 'content-type': type }),
        400,
        'Content-Type must be application/json',
      );
    });
  }

  it('is refused without a Content-Type', async () => {
    const { port } = await start([routes({ 'POST /t': echo })]);
    const wire = await dial(port);
    wire.write('POST /t HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
    const { status, body } = await wire.response();
    expect(status).to.equal(400);
    expect(body).to.contain('Content-Type');
  });

  for (const [what, body] of [
    ['none', undefined],
    ['of no bytes', ''],
    ['of blanks', ' \r\n\t'],
    ['of a byte order mark', '\ufeff'],
  ] as const) {
    it(`is refused if it is empty (${what})`, async () => {
      await expectRefused(await send(body), 400, 'the body is empty');
    });
  }

  it('may begin with a byte order mark', async () => {
    expect(await (await send('\ufeff{"a":1}')).json()).to.deep.equal({ got: { a: 1 } });
  });

  it('is refused with a second byte order mark', async () => {
    await expectRefused(await send('\ufeff\ufeff{}'), 400, 'position 0');
  });

  for (const [what, bytes] of [
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong encoding', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['half a character', [0x22, 0xe2, 0x82, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      await expectRefused(await send(Buffer.from(bytes)), 400, 'not UTF-8');
    });
  }

  it('is refused with the position if it is no JSON', async () => {
    await expectRefused(await send('{"a":1,}'), 400, 'a name expected at position 7');
  });

  describe('compressed', () => {
    const text = JSON.stringify({ a: 'b'.repeat(LIMIT - 8) });

    for (const [coding, compress] of [
      ['gzip', gzipSync],
      ['GZip', gzipSync],
      ['x-gzip', gzipSync],
      ['deflate', deflateSync],
      ['identity', (plain: string) => Buffer.from(plain)],
    ] as const) {
      it(`with ${coding} is inflated, up to the limit`, async () => {
        expect(text).to.have.length(LIMIT);
        const response = await send(compress(text), { 'content-encoding': coding });
        expect(await response.json()).to.deep.equal({ got: JSON.parse(text) as unknown });
      });
    }

    for (const [coding, body] of [
      ['br', brotliCompressSync('{}')],
      ['zstd', '{}'],
      ['gzip, gzip', gzipSync(gzipSync('{}'))],
    ] as const) {
      it(`with ${coding} is refused`, async () => {
        await expectRefused(
          await send(body, { 'content-encoding': coding }),
          400,
          'Content-Encoding must be gzip, deflate',
        );
      });
    }

    it('is refused if it is incomplete', async () => {
      await expectRefused(
        await send(gzipSync(text).subarray(0, -10), { 'content-encoding': 'gzip' }),
        400,
        'cut short',
      );
    });

    it('is refused if it is not compressed as announced', async () => {
      await expectRefused(
        await send('{"a":1}', { 'content-encoding': 'gzip' }),
        400,
        'Content-Encoding says',
      );
    });

    it('is refused as soon as its inflated size exceeds the limit', async () => {
      const bomb = gzipSync(Buffer.alloc(200_000_000));
      expect(bomb.length).to.be.lessThan(200_000);
      const before = process.memoryUsage().rss;
      await expectRefused(await send(bomb, { 'content-encoding': 'gzip' }), 413, `${LIMIT} bytes, inflated`);
      expect(process.memoryUsage().rss - before).to.be.lessThan(100_000_000);
    });

    it('is dropped if the client disconnects', async () => {
      const { attempt, failure } = failingRead(read);
      const { port } = await start([routes({ 'POST /t': attempt })]);
      const wire = await dial(port);
      wire.write(
        'POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n',
      );
      wire.write(gzipSync('{}').subarray(0, 12));
      wire.socket.end();
      expect(await failure).to.include({ code: 'unreadable' });
    });
  });

  it('is refused over the limit, with or without a Content-Length', async () => {
    const text = `"${'a'.repeat(LIMIT - 1)}"`;
    await expectRefused(await send(text), 413, `must not exceed ${LIMIT} bytes`);
    const { port } = await start([routes({ 'POST /t': echo })]);
    const wire = await dial(port);
    wire.write(
      'POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    wire.write(`${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`);
    expect((await wire.response()).status).to.equal(413);
  });

  for (const length of ['2147483649', '4294967298', '9007199254740993']) {
    it(`is refused at once with a Content-Length of ${length}`, async () => {
      const { port } = await start([routes({ 'POST /t': echo })]);
      const wire = await dial(port);
      wire.write(
        `POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      );
      wire.write(Buffer.alloc(LIMIT + 1, 0x20));
      expect((await wire.response()).status).to.equal(413);
    });
  }

  it('may have names such as __proto__, without an effect on other objects', async () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"toString":3}';
    const response = await send(text);
    expect(response.status).to.equal(200);
    expect(await response.text()).to.equal(`{"got":${text}}`);
    expect({}).not.to.have.property('polluted');
  });
});
