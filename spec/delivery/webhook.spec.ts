import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import type { Got } from './receiver.js';
import { BODY, status, webhookScene, type WebhookScene } from './webhook-scene.js';

describe('webhook request', () => {
  let scene: WebhookScene;
  const receiver: WebhookScene['receiver'] = (...args) => scene.receiver(...args);
  const sender: WebhookScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = webhookScene();
  });

  afterEach(() => scene.end());

  it('is a POST of the very bytes, with the headers of Standard Webhooks', async () => {
    const target = await receiver(status(204));
    const answer = await sender({ now: () => 1_700_000_000_999 }).post(`${target.origin}/hook/?a=b%20c`);
    expect(answer.result).to.equal('delivered');
    expect(answer.detail).to.match(/^204 in \d+ ms$/);
    const [got] = target.got as [Got];
    expect(got).to.include({ method: 'POST', url: '/hook/?a=b%20c', body: BODY });
    expect(got.headers).to.deep.include({
      host: `127.0.0.1:${target.port}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(BODY)),
      'user-agent': 'spec',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
    });
    expect(got.headers).not.to.have.property('webhook-signature');
  });

  const keys = [
    [
      'a whsec_ secret',
      'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=',
      new Webhook('whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ='),
    ],
    ['a raw secret', 'Überraschung', new Webhook(Buffer.from('Überraschung'), { format: 'raw' })],
  ] as const;
  for (const [name, secret, verifier] of keys) {
    it(`is signed with ${name}`, async () => {
      const target = await receiver(status(200));
      await sender({ secret }).post(target.origin);
      const [got] = target.got as [Got];
      expect(got.headers['webhook-signature']).to.match(/^v1,[A-Za-z0-9+/]{43}=$/);
      const headers = got.headers as Record<string, string>;
      expect(verifier.verify(got.body, headers)).to.deep.equal(JSON.parse(BODY));
      expect(() => verifier.verify(`${got.body} `, headers)).to.throw('No matching signature');
      expect(() => verifier.verify(got.body, { ...headers, 'webhook-id': 'msg_2' })).to.throw();
    });
  }

  it('cannot be made with a whsec_ secret that is not base64', () => {
    expect(() => sender({ secret: 'whsec_***' })).to.throw();
  });

  it('has no header but its own, whatever the url says', async () => {
    const target = await receiver(status(200));
    const { post } = sender();
    const nasty = fc.array(
      fc.constantFrom('\r\n', '\n', 'X-Evil: 1', '%0d%0a', ' ', '\u0000', 'Ⅷ', '?', '#', '/', ':'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          nasty.map((parts) => parts.join('')),
          fc.string(),
        ),
        async (text) => {
          const answer = await post(`${target.origin}/${text}`);
          expect(answer.result).to.equal(/[\p{Cc}\\]/u.test(text) ? 'refused' : 'delivered');
        },
      ),
    );
    const names = new Set(target.got.flatMap(({ headers }) => Object.keys(headers)));
    const own = ['content-type', 'content-length', 'user-agent', 'webhook-id', 'webhook-timestamp'];
    expect([...names]).to.have.members([...own, 'host', 'connection']);
    expect(new Set(target.got.map(({ body }) => body))).to.deep.equal(new Set([BODY]));
  });
});
