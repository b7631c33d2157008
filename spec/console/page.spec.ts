import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { loadAssets } from '../../src/console/assets.js';
import { StartError } from '../../src/errors.js';
import { request } from '../e2e/api-client.js';
import { expectRefusal } from '../e2e/refusal.js';
import { scenes } from '../e2e/scene.js';

/** Sends a request as it is written. The answer is not decompressed. */
async function raw(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }> {
  const sent = httpRequest(url, { method, headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, headers: response.headers, body: await buffer(response) };
}

const TYPES: Readonly<Record<string, RegExp>> = {
  js: /^text\/javascript/,
  css: /^text\/css/,
  svg: /^image\/svg\+xml/,
};

describe('page of the console', () => {
  const open = scenes();

  it('has the licences of the packages in its scripts, each with its copyright notice', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: 'let-the-operators-in' });
    const answer = await request(`${url}/console/licenses.txt`, 'GET');
    expect(answer.headers.get('content-type')).to.match(/^text\/plain/);
    for (const name of ['preact', '@preact/signals', '@preact/signals-core', 'uplot']) {
      const [, text = ''] = answer.text.split(new RegExp(`^${name} [0-9.]+$`, 'm'));
      expect(text, name).to.match(/^\n\n(?:The MIT License|MIT License)[^]*?Copyright \(c\) \d{4}/);
    }
  });

  it('is the answer of every path that is not an asset, API or mail', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: 'let-the-operators-in' });
    const page = (await request(`${url}/console`, 'GET')).text;
    expect(page).to.match(/^<!doctype html>/i);
    for (const path of [
      '/console/',
      '/console/login',
      '/console/servers/demo/urn:a:b.json',
      '/console/servers/a%2Fb/%F0%9F%98%80',
      '/console/ledger/entities/urn:x:y.json',
      '/console/apis',
      '/console/no/such/page',
    ]) {
      const answer = await request(url + path, 'GET');
      expect(answer.status, path).to.equal(200);
      expect(answer.text, path).to.equal(page);
      const head = await raw(url + path, {}, 'HEAD');
      expect([head.status, head.body.length], path).to.deep.equal([200, 0]);
      expect(head.headers['content-length']).to.equal(String(Buffer.byteLength(page)));
    }
    for (const path of ['/console/api', '/console/api/nothing', '/console/mail', '/console/mail/a/b']) {
      expectRefusal(await request(url + path, 'GET'), 404);
    }
    expectRefusal(await request(`${url}/console/assets/main-00000000.js`, 'GET'), 404, 'reload the page');
    expectRefusal(await request(`${url}/console/login`, 'POST', {}), 405);
    expectRefusal(await request(`${url}/consoles`, 'GET'), 404);
  });

  it('has strict headers, and may not be framed', async () => {
    const { url } = await open.service();
    const { headers } = await request(`${url}/console`, 'GET');
    const policy = headers.get('content-security-policy');
    expect(policy).to.include("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).to.include("base-uri 'none'; frame-ancestors 'none'").and.not.include('unsafe');
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('cache-control')).to.equal('no-cache');
  });

  it('loads its assets from the service: typed, kept for ever, compressed', async () => {
    const { url } = await open.service();
    const page = (await request(`${url}/console`, 'GET')).text;
    const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(assets).to.have.length.greaterThan(1);
    for (const path of assets) {
      expect(path).to.match(/^\/console\/assets\/[\w-]+-[A-Z0-9]{8}\.(?:js|css|svg)$/);
      const plain = await raw(url + path, { 'accept-encoding': 'identity' });
      expect(plain.headers['cache-control']).to.equal('public, max-age=31536000, immutable');
      expect(plain.headers['content-type']).to.match(TYPES[path.split('.').at(-1)!]!);
      expect(plain.headers['x-content-type-options']).to.equal('nosniff');
      expect(plain.headers['vary']).to.equal('Accept-Encoding');
      const br = await raw(url + path, { 'accept-encoding': 'gzip, deflate, br' });
      const gzip = await raw(url + path, { 'accept-encoding': 'gzip' });
      if (plain.body.length < 200) continue;
      expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).to.deep.equal([
        'br',
        'gzip',
      ]);
      expect(brotliDecompressSync(br.body).equals(plain.body)).to.equal(true);
      expect(gunzipSync(gzip.body).equals(plain.body)).to.equal(true);
    }
  });

  it('is not sent again to who has it', async () => {
    const { url } = await open.service();
    const { etag = '' } = (await raw(`${url}/console`, {})).headers;
    const again = await raw(`${url}/console/deliveries`, { 'if-none-match': etag });
    expect([again.status, again.body.length, again.headers.etag]).to.deep.equal([304, 0, etag]);
    const other = await raw(`${url}/console`, { 'if-none-match': 'W/"other"' });
    expect(other.status).to.equal(200);
  });

  it('that is not built stops the start with what to do', async () => {
    const empty = await open.folder();
    for (const folder of [empty, '/nowhere/at/all']) {
      expect(() => loadAssets(folder), folder).to.throw(StartError, 'npm run build');
    }
  });
});
