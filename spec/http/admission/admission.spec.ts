import { expect } from 'chai';
import { jsonBody } from '../../../src/http/body/body.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { edges, ok, routes } from '../edge.js';
import { type Answered, ask, messageOf } from './from-address.js';
import { holding } from './holding.js';
import { wires } from '../wire/wire-client.js';

const MINE = '127.0.0.1';
const OTHER = '127.0.0.2';

describe('admission', () => {
  const start = edges();
  const dial = wires();
  const read = jsonBody({ limit: 1000 });
  const take: EdgeMiddleware = async (ctx) => {
    ctx.body = { taken: await read(ctx) };
  };
  const admission = { maxInFlight: 8, exempt: [] };
  /** Counts a request for the tenant of its path, with or without a token. */
  const named =
    (proven: boolean): EdgeMiddleware =>
    (ctx, next) => {
      ctx.state.permit.countForTenant(ctx.params['tenant']!, proven);
      return next();
    };

  /** Starts an edge that holds requests below /held, and sends requests there until `count` are in flight. */
  async function heldEdge(options: { trustedProxies?: readonly string[]; maxWaiting?: number } = {}) {
    const held = holding();
    const waiting = holding();
    const wait: EdgeMiddleware = (ctx) => {
      ctx.state.permit.waitForChain();
      return waiting.stay(ctx, async () => undefined);
    };
    const table = routes({
      'GET /held': held.stay,
      'GET /token/:tenant/held': [named(true), held.stay],
      'GET /open/:tenant/held': [named(false), held.stay],
      'GET /wait': wait,
      'POST /t': take,
      'GET /t': ok,
      'GET /token/:tenant': [named(true), ok],
      'GET /open/:tenant': [named(false), ok],
    });
    const { url, port } = await start([table], { admission: { ...admission, ...options } });
    const fill = async (path: string, count: number, asked: Parameters<typeof ask>[1] = {}, at = held) => {
      const answers: Promise<Answered>[] = [];
      for (let i = 0; i < count; i += 1) {
        const before = at.inside();
        answers.push(ask(url + path, asked));
        const arrived = async () => at.inside() > before || undefined;
        await eventually(arrived, SOON_MS, () => `request ${i} to ${path} is not in`);
      }
      return { answers: () => Promise.all(answers) };
    };
    return { url, port, held, waiting, fill };
  }

  it('does not count a request before its body is complete', async () => {
    const { url, port } = await heldEdge();
    for (let i = 0; i < 20; i += 1) {
      const wire = await dial(port);
      wire.write(
        'POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      );
    }
    for (let i = 0; i < 5; i += 1) {
      expect((await ask(`${url}/t`)).status).to.equal(200);
      expect((await ask(`${url}/t`, { body: '{}' })).status).to.equal(200);
    }
  });

  it('does not count a refused request whose answer waits for the rest of its body', async () => {
    const { url, port } = await heldEdge();
    const refused = await Promise.all(Array.from({ length: 20 }, () => dial(port)));
    for (const wire of refused) {
      wire.write('POST /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9\r\n\r\n{');
    }
    for (let i = 0; i < 5; i += 1) expect((await ask(`${url}/t`)).status).to.equal(200);
    refused[0]!.write('12345678');
    expect((await refused[0]!.response()).status).to.equal(404);
  });

  it('answers 503 if all permits are taken when the body is complete', async () => {
    const { url, port, held, fill } = await heldEdge();
    const wire = await dial(port);
    wire.write('POST /t HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{');
    const inside = await fill('/held', 4);
    expect((await ask(`${url}/t`, { body: '{}' })).status).to.equal(503);
    wire.write('"a": 12}');
    const { status, headers, body } = await wire.response();
    expect(status).to.equal(503);
    expect(headers['retry-after']).to.equal('1');
    expect(body).to.contain('nothing was done');
    held.go();
    for (const answer of await inside.answers()) expect(answer.status).to.equal(200);
    expect((await ask(`${url}/t`, { body: '{}' })).status).to.equal(200);
  });

  it('lets a client address hold as many permits as are free, which leaves room for others', async () => {
    const { url, held, fill } = await heldEdge();
    const mine = await fill('/held', 4, { from: MINE });
    const refused = await ask(`${url}/t`, { from: MINE });
    expect(refused.status).to.equal(503);
    expect(refused.headers['retry-after']).to.equal('1');
    expect(messageOf(refused)).to.contain('of this client address').and.contain('nothing was done');
    const theirs = await fill('/held', 2, { from: OTHER });
    expect((await ask(`${url}/t`, { from: OTHER })).status).to.equal(503);
    expect((await ask(`${url}/t`, { from: '127.0.0.3' })).status).to.equal(200);
    held.go();
    for (const answer of [...(await mine.answers()), ...(await theirs.answers())])
      expect(answer.status).to.equal(200);
    await fill('/held', 4, { from: MINE });
    held.go();
  });

  it('limits a proven tenant over all client addresses', async () => {
    const { url, held, fill } = await heldEdge();
    await fill('/token/a/held', 2, { from: MINE });
    await fill('/token/a/held', 2, { from: OTHER });
    const refused = await ask(`${url}/token/a`, { from: '127.0.0.3' });
    expect(refused.status).to.equal(503);
    expect(messageOf(refused)).to.match(/of this tenant;/);
    for (const from of [MINE, OTHER, '127.0.0.3'])
      expect((await ask(`${url}/token/b`, { from })).status, from).to.equal(200);
    held.go();
  });

  it('leaves room for other tenants of the same client address', async () => {
    const { url, held, fill } = await heldEdge();
    await fill('/open/a/held', 3);
    const refused = await ask(`${url}/open/a`);
    expect(refused.status).to.equal(503);
    expect(messageOf(refused)).to.contain('of this tenant at this client address');
    expect((await ask(`${url}/open/b`)).status).to.equal(200);
    held.go();
  });

  it('uses nothing of a tenant that a stranger names', async () => {
    const { url, held, fill } = await heldEdge();
    await fill('/open/a/held', 3, { from: OTHER });
    expect((await ask(`${url}/open/a`, { from: OTHER })).status).to.equal(503);
    expect((await ask(`${url}/open/a`, { from: MINE })).status).to.equal(200);
    expect((await ask(`${url}/token/a`, { from: MINE })).status).to.equal(200);
    held.go();
  });

  it('counts requests that wait for the chain separately, with a limit of their own', async () => {
    const { url, waiting, fill } = await heldEdge({ maxWaiting: 20 });
    const waiters = await fill('/wait', 10, {}, waiting);
    const refused = await ask(`${url}/wait`);
    expect(refused.status).to.equal(503);
    expect(refused.headers['retry-after']).to.equal('1');
    expect(messageOf(refused)).to.contain('wait for the chain').and.contain('nothing was done');
    for (let i = 0; i < 5; i += 1) expect((await ask(`${url}/t`)).status).to.equal(200);
    waiting.go();
    for (const answer of await waiters.answers()) expect(answer.status).to.equal(200);
    await fill('/wait', 10, {}, waiting);
    waiting.go();
  });

  for (const trustedProxies of [[], [MINE]]) {
    it(`releases pipelined requests of a closed connection (proxies: ${trustedProxies.join()})`, async () => {
      const { url, port, held, fill } = await heldEdge({ trustedProxies });
      for (let i = 0; i < 4; i += 1) {
        const wire = await dial(port);
        wire.write('GET /held HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2) + 'GET /t HTTP/1.1\r\nHost: a\r\n\r\n');
        await eventually(
          async () => held.inside() === 2 || undefined,
          SOON_MS,
          () => 'the requests are not in',
        );
        wire.socket.resetAndDestroy();
        held.go();
        const isLet = async () => (await ask(`${url}/t`)).status === 200 || undefined;
        await eventually(isLet, SOON_MS, () => `nobody is let in behind connection ${i}`);
      }
      await fill('/held', 4);
      held.go();
    });
  }

  describe('behind a proxy', () => {
    const forwarded = (text: string) => ({ headers: { 'X-Forwarded-For': text } });

    it('counts the rightmost forwarded address that is not a trusted proxy', async () => {
      const { url, held, fill } = await heldEdge({ trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
      await fill('/held', 4, forwarded('203.0.113.9, 198.51.100.7, 10.1.2.3'));
      expect((await ask(`${url}/t`, forwarded('198.51.100.7'))).status).to.equal(503);
      expect((await ask(`${url}/t`, forwarded('203.0.113.9'))).status).to.equal(200);
      expect((await ask(`${url}/t`, forwarded('198.51.100.7, 203.0.113.9'))).status).to.equal(200);
      expect((await ask(`${url}/t`)).status, 'the proxy itself').to.equal(200);
      held.go();
    });

    it('counts the /64 network of an IPv6 address', async () => {
      const { url, held, fill } = await heldEdge({ trustedProxies: ['127.0.0.0/8'] });
      await fill('/held', 4, forwarded('2001:db8:1:2::1'));
      expect((await ask(`${url}/t`, forwarded('2001:db8:1:2:ffff::9'))).status).to.equal(503);
      expect((await ask(`${url}/t`, forwarded('2001:db8:1:3::1'))).status).to.equal(200);
      held.go();
    });

    it('ignores a forwarded port', async () => {
      const { url, held, fill } = await heldEdge({ trustedProxies: ['127.0.0.0/8'] });
      await fill('/held', 2, forwarded('198.51.100.7:5678'));
      await fill('/held', 2, forwarded('198.51.100.7:5679'));
      expect((await ask(`${url}/t`, forwarded('198.51.100.7'))).status).to.equal(503);
      expect((await ask(`${url}/t`, forwarded('[2001:db8:1:2::1]:443'))).status).to.equal(200);
      held.go();
    });

    it('ignores X-Forwarded-For of untrusted senders', async () => {
      const { url, held, fill } = await heldEdge({ trustedProxies: ['127.0.0.9'] });
      await fill('/held', 4, forwarded('203.0.113.1'));
      expect((await ask(`${url}/t`, forwarded('203.0.113.2'))).status).to.equal(503);
      held.go();
    });
  });
});
