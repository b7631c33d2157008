import { connect } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { formBody, multipartFields } from '../../../src/http/body/form-body.js';
import { edges, errorIn, routes } from '../edge.js';

const FORM = 'application/x-www-form-urlencoded';

describe('the body of a form', () => {
  const start = edges();
  const form = (limit: number) =>
    routes({
      'POST /form': async (ctx) => {
        ctx.body = Object.fromEntries(await formBody(limit)(ctx));
      },
    });

  it('has fields in either encoding', async () => {
    const multipart = new FormData();
    multipart.append('for', '3600');
    multipart.append('ä b', 'ö\r\n--x&');
    const fields = { for: '3600', 'ä b': 'ö\r\n--x&' };
    const { url } = await start([form(1_000)]);
    const got = await fetch(`${url}/form`, { method: 'POST', body: multipart });
    expect(await got.json()).to.deep.equal(fields);
    const body = new URLSearchParams(fields).toString();
    for (const type of [FORM, `${FORM};charset=UTF-8`, 'Application/X-WWW-Form-Urlencoded']) {
      const answer = await fetch(`${url}/form`, { method: 'POST', body, headers: { 'content-type': type } });
      expect(await answer.json()).to.deep.equal(fields);
    }
  });

  it('is refused in another type or encoding, and above the limit', async () => {
    const cases: readonly (readonly [Record<string, string>, string, number, string])[] = [
      [{ 'content-type': 'application/json' }, '{}', 400, FORM],
      [{ 'content-type': `x${FORM}` }, 'a=b', 400, FORM],
      [{ 'content-type': 'multipart/form-data' }, 'a=b', 400, 'with its boundary'],
      [{ 'content-type': FORM, 'content-encoding': 'gzip' }, 'a=b', 400, 'Content-Encoding'],
      [{ 'content-type': FORM }, 'a'.repeat(201), 413, '200 bytes'],
    ];
    const { url } = await start([form(200)]);
    const post = (body: string, headers: Record<string, string>) =>
      fetch(`${url}/form`, { method: 'POST', body, headers });
    for (const [headers, body, status, words] of cases) {
      const answer = await post(body, headers);
      expect(answer.status).to.equal(status);
      expect((await errorIn(answer)).message).to.contain(words);
    }
    expect((await post('a'.repeat(200), { 'content-type': FORM })).status).to.equal(200);
  });

  it('is 400 if it ends too early', async () => {
    const { port } = new URL((await start([form(200)])).url);
    const socket = connect(Number(port), '127.0.0.1');
    const head = `POST /form HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM}\r\nContent-Length: 50\r\n\r\nfor=`;
    socket.end(head);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).to.match(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });
});

describe('a multipart form', () => {
  const part = (head: string, value: string): string => `--B\r\n${head}\r\n\r\n${value}\r\n`;
  const field = (name: string, value: string): string =>
    part(`Content-Disposition: form-data; name="${name}"`, value);

  it('has its fields, without files, preamble and epilogue', () => {
    const file = part('Content-Type: a/b\r\nContent-Disposition: form-data; name="f"; filename="x"', 'data');
    const text = `preamble\r\n${field('a', '1')}${file}${field('b', '')}--B--\r\nepilogue`;
    expect([...multipartFields(text, 'B')]).to.deep.equal([
      ['a', '1'],
      ['b', ''],
    ]);
    expect([...multipartFields('--B--', 'B')]).to.deep.equal([]);
    const other = part('content-type: text/plain\r\ncontent-disposition:form-data;name="c"', 'x\r\ny');
    expect([...multipartFields(`${other}--B--`, 'B')]).to.deep.equal([['c', 'x\r\ny']]);
  });

  it('is unreadable if it is cut, or is another text', () => {
    const whole = `${field('a', '1')}--B--`;
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => multipartFields(whole.slice(0, length), 'B'), String(length)).to.throw('no form');
    }
    for (const text of ['', 'a=b', '--C--', `${part('X: y', '1')}--B--`, '--B\r\n--B--', '--B--more']) {
      expect(() => multipartFields(text, 'B'), text).to.throw('no form');
    }
  });
});
