import { Readable } from 'node:stream';
import { expect } from 'chai';
import { edges, routes } from './edge.js';

describe('an answer', () => {
  const start = edges();
  const cases: Record<string, { body: unknown; status?: number; text: string; type: string | null }> = {
    'a value': { body: { ä: [1] }, text: '{"ä":[1]}', type: 'application/json; charset=utf-8' },
    'a text': { body: 'grün', text: 'grün', type: 'text/plain; charset=utf-8' },
    'an empty text': { body: '', text: '', type: 'text/plain; charset=utf-8' },
    bytes: { body: Buffer.from('grün'), text: 'grün', type: 'application/octet-stream' },
    'nothing, with 200': { body: null, status: 200, text: '', type: null },
    'a value, with 204': { body: { a: 1 }, status: 204, text: '', type: null },
  };
  for (const [what, { body, status, text, type }] of Object.entries(cases)) {
    it(`has the body, the type and the length of ${what}, HEAD too`, async () => {
      const { url } = await start([
        routes({
          'GET /t': (ctx) => {
            ctx.body = body;
            if (status !== undefined) ctx.status = status;
          },
        }),
      ]);
      const got = await fetch(`${url}/t`);
      const head = await fetch(`${url}/t`, { method: 'HEAD' });
      expect(await got.text()).to.equal(text);
      expect(await head.text()).to.equal('');
      for (const { headers, status: answered } of [got, head]) {
        expect(answered).to.equal(status ?? 200);
        expect(headers.get('content-type')).to.equal(type);
        const length = status === 204 ? null : String(Buffer.byteLength(text));
        expect(headers.get('content-length')).to.equal(length);
      }
    });
  }

  it('is a stream without a length', async () => {
    const { url } = await start([
      routes({
        'GET /t': (ctx) => {
          ctx.body = Readable.from(['a', 'b'], { objectMode: false });
        },
      }),
    ]);
    const got = await fetch(`${url}/t`);
    expect(await got.text()).to.equal('ab');
    expect(got.headers.get('content-length')).to.equal(null);
    const head = await fetch(`${url}/t`, { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
  });
});
