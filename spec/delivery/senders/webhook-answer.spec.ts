import type http from 'node:http';
import { expect } from 'chai';
import type { Answer } from '../../../src/delivery/port.js';
import { ended } from './receiver.js';
import { status, webhookScene, type WebhookScene } from './webhook-scene.js';

describe('webhook answer', () => {
  let scene: WebhookScene;
  const receiver: WebhookScene['receiver'] = (...args) => scene.receiver(...args);
  const sender: WebhookScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = webhookScene();
  });

  afterEach(() => scene.end());

  const expected: readonly (readonly [Answer['result'], readonly number[]])[] = [
    ['delivered', [200, 201, 202, 204, 299]],
    ['refused', [300, 304, 400, 401, 403, 404, 410, 418, 451]],
    ['retry', [408, 429, 500, 501, 502, 503, 504, 599]],
  ];
  for (const [result, codes] of expected) {
    it(`is ${result} for ${codes.join(', ')}`, async () => {
      const target = await receiver((response, { url }) => status(Number(url.slice(1)))(response));
      const { post } = sender();
      for (const code of codes) {
        const answer = await post(`${target.origin}/${code}`);
        expect(answer, String(code)).to.have.property('result', result);
        if (result === 'refused') expect(answer).to.have.property('status', code);
        expect(answer.detail).to.match(new RegExp(`^${code} in \\d+ ms`));
      }
    });
  }

  it('is refused for a redirect', async () => {
    const elsewhere = await receiver(status(200));
    const target = await receiver((response, { url }) =>
      status(Number(url.slice(1)), { location: `${elsewhere.origin}/stolen?key=1` })(response),
    );
    const { post } = sender();
    for (const code of [301, 302, 303, 307, 308]) {
      const answer = await post(`${target.origin}/${code}`);
      expect(answer).to.include({ result: 'refused', status: code });
      expect(answer.detail).to.match(/redirects are not followed$/);
    }
    expect(elsewhere.connections()).to.equal(0);
  });

  it('says of a 304 what it is', async () => {
    const target = await receiver(status(304));
    const { detail } = await sender().post(target.origin);
    expect(detail).to.match(/^304 in \d+ ms: "not modified" is no answer to a POST$/);
  });

  it('has the seconds of Retry-After, fractions too', async () => {
    const target = await receiver((response, { url }) =>
      status(429, { 'retry-after': url.slice(1) })(response),
    );
    const { post } = sender();
    expect(await post(`${target.origin}/37`)).to.include({ result: 'retry', retryAfterS: 37 });
    expect(await post(`${target.origin}/5.25`)).to.include({ result: 'retry', retryAfterS: 5.25 });
  });

  it('has the seconds until the date of Retry-After, counted from now', async () => {
    const target = await receiver(status(429, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }));
    const at = (text: string) => sender({ now: () => Date.parse(text) }).post(target.origin);
    expect(await at('1994-11-06T08:48:37.500Z')).to.include({ result: 'retry', retryAfterS: 60 });
    expect(await at('1994-11-06T09:00:00Z')).to.include({ result: 'retry', retryAfterS: 0 });
  });

  it('ignores any other Retry-After, and limits it to a day', async () => {
    const target = await receiver((response, { url }) =>
      status(503, { 'retry-after': decodeURIComponent(url.slice(1)) })(response),
    );
    const { post } = sender();
    for (const value of ['soon', '-5', '1.', '.5', '2030', 'Sun, 06 Nov 1994 08:49:37']) {
      const answer = await post(`${target.origin}/${encodeURIComponent(value)}`);
      expect(answer).to.have.property('retryAfterS', value === '2030' ? 2_030 : undefined);
    }
    expect(await post(`${target.origin}/99999999999999999999`)).to.have.property('retryAfterS', 86_400);
  });

  it('quotes the beginning of the body of a failure in one line, without the query of the url', async () => {
    const target = await receiver((response, { url }) =>
      status(400, {}, `no\r\n\u001b[31mroute ${url} for s3same&ourselves\n${'x'.repeat(500)}`)(response),
    );
    const answer = await sender().post(`${target.origin}/hook?key=s3same%26ourselves`);
    expect(answer.result).to.equal('refused');
    expect(answer.detail).to.match(/^400 in \d+ ms: no \[31mroute \/hook… for … x+…$/);
    expect(answer.detail).to.have.length.below(230);
  });

  it('uses the first KiB of an endless body, and closes the connection', async () => {
    const target = await receiver((response, { url }) => {
      response.writeHead(Number(url.slice(1)));
      const pour = (): void => {
        while (response.write('x'.repeat(700)));
      };
      response.on('drain', pour);
      pour();
    });
    const { post } = sender();
    expect(await post(`${target.origin}/200`)).to.have.property('result', 'delivered');
    expect(await post(`${target.origin}/500`)).to.have.property('result', 'retry');
    for (const { socket } of target.got) await ended(socket);
  });

  const unfinished: readonly (readonly [string, (response: http.ServerResponse) => void])[] = [
    ['never ends', (response) => void response.write('half')],
    [
      'trickles',
      (response) => {
        const timer = setInterval(() => response.write('x'), 10);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'is reset',
      (response) => {
        response.write('half');
        // A reset discards what the other side has not read yet.
        setTimeout(() => response.socket?.resetAndDestroy(), 50);
      },
    ],
  ];
  for (const [name, go] of unfinished) {
    it(`depends on the status alone when the body ${name}, and the connection is closed`, async () => {
      const target = await receiver((response, { url }) => {
        response.writeHead(Number(url.slice(1)), { 'retry-after': '7' });
        go(response);
      });
      // The head has to arrive in this time.
      const { post } = sender({ timeoutMs: 5_000 });
      const posts = ['200', '410', '503'].map((code) => post(`${target.origin}/${code}`));
      const [good, gone, busy] = await Promise.all(posts);
      expect(good).to.have.property('result', 'delivered');
      expect(gone).to.have.property('result', 'refused');
      expect(busy).to.include({ result: 'retry', retryAfterS: 7 });
      for (const { socket } of target.got) await ended(socket);
    });
  }
});
