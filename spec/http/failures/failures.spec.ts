import { expect } from 'chai';
import { BrokerRefused, BrokerUnavailable } from '../../../src/broker/port.js';
import { ChainMisfit, ChainUnavailable } from '../../../src/chain/port.js';
import { Refusal, type RefusalCode, RetryableError, TerminalError } from '../../../src/errors.js';
import type { ErrorFormat } from '../../../src/http/failures/error-formats.js';
import { IdentityUnavailable } from '../../../src/identity/port.js';
import { StoreUnavailable, Unstorable } from '../../../src/store/port.js';
import { edges, errorIn, ok, routes } from '../edge.js';
import { wires } from '../wire/wire-client.js';

const fail = (error: unknown) => () => {
  throw error;
};

describe('failures', () => {
  const start = edges();
  const dial = wires();

  const statuses: [RefusalCode, number, string][] = [
    ['unreadable', 400, 'Bad Request'],
    ['bad-request', 400, 'Bad Request'],
    ['unauthorized', 401, 'Unauthorized'],
    ['forbidden', 403, 'Forbidden'],
    ['not-found', 404, 'Not Found'],
    ['not-acceptable', 406, 'Not Acceptable'],
    ['timeout', 408, 'Request Timeout'],
    ['conflict', 409, 'Conflict'],
    ['too-large', 413, 'Payload Too Large'],
    ['unsupported-media-type', 415, 'Unsupported Media Type'],
    ['unprocessable', 422, 'Unprocessable Entity'],
    ['internal', 500, 'Internal Server Error'],
    ['bad-gateway', 502, 'Bad Gateway'],
    ['unavailable', 503, 'Service Unavailable'],
    ['gateway-timeout', 504, 'Gateway Timeout'],
  ];
  for (const [code, status, title] of statuses) {
    it(`are ${status} ${title} for a refusal with the code ${code}`, async () => {
      const { url } = await start([routes({ 'GET /t': fail(new Refusal(code, 'this is why')) })]);
      const response = await fetch(`${url}/t`);
      expect([response.status, response.statusText]).to.deep.equal([status, title]);
      expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(await response.json()).to.deep.equal({ error: { message: 'this is why', code: status, title } });
    });
  }

  it('have WWW-Authenticate with a 401 only', async () => {
    const { url } = await start([
      routes({
        'GET /401': fail(new Refusal('unauthorized', '')),
        'GET /403': fail(new Refusal('forbidden', '')),
      }),
    ]);
    const challenge = async (path: string) => (await fetch(url + path)).headers.get('www-authenticate');
    expect(await challenge('/401')).to.equal('Keystone uri="http://identity.example"');
    expect(await challenge('/403')).to.equal(null);
  });

  it('have Retry-After, in whole seconds, with a 503 only', async () => {
    const { url } = await start([
      routes({
        'GET /said': fail(new Refusal('unavailable', '', { retryAfterS: 6.2 })),
        'GET /unsaid': fail(new Refusal('unavailable', '')),
        'GET /store': fail(new StoreUnavailable('')),
        'GET /identity': fail(new IdentityUnavailable('')),
        'GET /refused': fail(new Refusal('conflict', '')),
      }),
    ]);
    const waits = ['/said', '/unsaid', '/store', '/identity', '/refused'].map(async (path) => {
      const { status, headers } = await fetch(url + path);
      return [status, headers.get('retry-after')];
    });
    expect(await Promise.all(waits)).to.deep.equal([
      [503, '7'],
      [503, '1'],
      [503, '1'],
      [503, '1'],
      [409, null],
    ]);
  });

  it('say that the outcome of a change is unknown if the answer of the database was lost', async () => {
    const lost = fail(new StoreUnavailable('mongodb://user:secret@db.example timed out'));
    const { url } = await start([routes({ 'GET /t': lost, 'POST /t': lost, 'DELETE /t': lost })]);
    const messages = ['GET', 'POST', 'DELETE'].map(
      async (method) => (await errorIn(await fetch(`${url}/t`, { method }))).message,
    );
    const [read, ...changes] = await Promise.all(messages);
    expect(read).to.contain('nothing was done');
    for (const message of changes) expect(message).to.contain('outcome is unknown').and.not.contain('secret');
  });

  describe('of ports', () => {
    const cause = new Error('secret cause');
    const ports: [
      TerminalError | RetryableError,
      typeof TerminalError | typeof RetryableError,
      number,
      RegExp,
    ][] = [
      [new StoreUnavailable('secret', { cause }), RetryableError, 503, /^the database does not answer; /],
      [
        new IdentityUnavailable('secret', { cause }),
        RetryableError,
        503,
        /^the identity service cannot say /,
      ],
      [new ChainUnavailable('secret', { cause }), RetryableError, 503, /^the node of the chain does not /],
      [new ChainMisfit('chain 1, not 5', { cause }), TerminalError, 502, /^chain 1, not 5$/],
      [new BrokerUnavailable('secret', { cause }), RetryableError, 500, /^the service failed; /],
      [new BrokerRefused('secret', { cause }), TerminalError, 500, /^the service failed; /],
      [new Unstorable('secret', { cause }), TerminalError, 500, /^the service failed; /],
    ];
    for (const [error, base, status, text] of ports) {
      it(`are ${status} for ${error.name}, a ${base.name} with the code ${error.code}`, async () => {
        expect(error).to.be.instanceOf(base).and.to.have.property('cause', cause);
        const { url } = await start([routes({ 'GET /t': fail(error) })]);
        const response = await fetch(`${url}/t`);
        expect([response.status, response.headers.get('retry-after')]).to.deep.equal([
          status,
          status === 503 ? '1' : null,
        ]);
        expect((await errorIn(response)).message)
          .to.match(text)
          .and.not.contain('secret');
      });
    }
  });

  for (const thrown of [
    new TypeError('secret'),
    'secret',
    { secret: true },
    Object.assign(new Error('secret'), { status: 418, expose: true }),
  ]) {
    it(`reveal nothing of a thrown ${JSON.stringify(thrown)} (${typeof thrown})`, async () => {
      const { url } = await start([routes({ 'GET /t': fail(thrown) })]);
      const response = await fetch(`${url}/t`);
      expect(response.status).to.equal(500);
      expect(await response.text()).not.to.contain('secret');
    });
  }

  it('drop the headers and the body of the handler', async () => {
    const { url } = await start([
      routes({
        'GET /t': (ctx) => {
          ctx.set('Cache-Control', 'max-age=100');
          ctx.set('Content-Encoding', 'gzip');
          ctx.status = 201;
          ctx.body = Buffer.alloc(10_000);
          throw new Refusal('conflict', 'no');
        },
      }),
    ]);
    const response = await fetch(`${url}/t`);
    expect([response.status, response.statusText]).to.deep.equal([409, 'Conflict']);
    expect(response.headers.get('cache-control')).to.equal(null);
    expect((await errorIn(response)).message).to.equal('no');
  });

  it('quote at most 200 characters of a path, and have messages of at most 4,000', async () => {
    const { url } = await start([routes({ 'GET /t': fail(new Refusal('bad-request', 'x'.repeat(9000))) })]);
    const unknown = await errorIn(await fetch(`${url}/${'a'.repeat(5000)}`));
    expect(unknown.message.length).to.be.lessThan(260);
    expect((await errorIn(await fetch(`${url}/t`))).message).to.equal(`${'x'.repeat(3999)}…`);
  });

  it('have no control characters and no unpaired surrogates in messages', async () => {
    const { url } = await start([
      routes({ 'GET /t': fail(new Refusal('bad-request', 'a\r\n\u0000\u009bb\ud800')) }),
    ]);
    expect((await errorIn(await fetch(`${url}/t`))).message).to.equal('a    b\ufffd');
  });

  describe('in a route group with its own error format', () => {
    const problem: ErrorFormat = ({ status, title, message }) => ({
      headers: { 'Content-Type': 'application/problem+json' },
      body: JSON.stringify({ status, title, detail: message }),
    });
    const groups = [{ prefix: '/entity', errors: problem }];

    for (const path of ['/entity', '/entity/', '/entity/none', '/entity/%', '/entity?a=b']) {
      it(`have its format at ${path}`, async () => {
        const { url } = await start([], { groups });
        const response = await fetch(url + path);
        expect(response.headers.get('content-type')).to.equal('application/problem+json');
        expect(await response.json()).to.have.keys('status', 'title', 'detail');
      });
    }

    for (const path of ['/', '/entityOperations', '/other/entity']) {
      it(`have the default format at ${path}`, async () => {
        const { url } = await start([], { groups });
        expect(await errorIn(await fetch(url + path))).to.have.keys('message', 'code', 'title');
      });
    }

    it('have its format for methods unknown to HTTP', async () => {
      const { port } = await start([routes({ 'GET /entity/:id': ok })], { groups });
      const wire = await dial(port);
      wire.write('BREW /entity/1?x=y HTTP/1.1\r\nHost: a\r\n\r\n');
      const { status, headers } = await wire.response();
      expect([status, headers['content-type']]).to.deep.equal([405, 'application/problem+json']);
    });

    it('may have bytes, in the type of the request, at the paths with a suffix', async () => {
      const bytes: ErrorFormat = ({ message, requestType = 'none' }) => ({
        headers: { 'Content-Type': 'application/octet-stream' },
        body: Buffer.from(`${requestType}: ${message}`),
      });
      const group = { prefix: '/entity', suffix: '/raw', errors: bytes };
      const { url, port } = await start([], { groups: [group] });
      for (const path of ['/entity/raw', '/entity/1/raw/']) {
        const headers = { 'Content-Type': 'text/x' };
        const response = await fetch(url + path, { method: 'POST', headers, body: 'x' });
        expect(response.headers.get('content-type')).to.equal('application/octet-stream');
        expect(await response.text()).to.match(/^text\/x: ./);
      }
      for (const path of ['/raw', '/entity/raw/1', '/entity/raws', '/entity']) {
        expect(await errorIn(await fetch(url + path))).to.have.keys('message', 'code', 'title');
      }
      const wire = await dial(port);
      wire.write('BREW /entity/raw HTTP/1.1\r\nHost: a\r\nContent-Type: text/y\r\n\r\n');
      expect((await wire.response()).body).to.match(/^text\/y: ./);
    });
  });
});
