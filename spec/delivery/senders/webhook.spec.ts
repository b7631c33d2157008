import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import type { Got } from './receiver.js';
import { BODY, SECRET, status, webhookScene, type WebhookScene } from './webhook-scene.js';

describe('webhook request', () => {
  let scene: WebhookScene;
  const receiver: WebhookScene['receiver'] = (...args) => scene.receiver(...args);
  const sender: WebhookScene['sender'] = (options) => scene.sender(options);

  beforeEach(() => {
    scene = webhookScene();
  });

  afterEach(() => scene.end());

  it('is a POST of the exact bytes, with the headers of Standard Webhooks', async () => {
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
  });

  it('is signed with the secret of its tenant', async () => {
    const target = await receiver(status(200));
    const asked: string[] = [];
    const secrets = (tenant: string): readonly string[] => {
      asked.push(tenant);
      return [SECRET];
    };
    await sender({ secrets }).post(target.origin);
    const [got] = target.got as [Got];
    expect(asked).to.deep.equal(['acme']);
    expect(got.headers['webhook-signature']).to.match(/^v1,[A-Za-z0-9+/]{43}=$/);
    const headers = got.headers as Record<string, string>;
    const verifier = new Webhook(SECRET);
    expect(verifier.verify(got.body, headers)).to.deep.equal(JSON.parse(BODY));
    expect(() => verifier.verify(`${got.body} `, headers)).to.throw('No matching signature');
    expect(() => verifier.verify(got.body, { ...headers, 'webhook-id': 'msg_2' })).to.throw();
  });

  it('is signed with every secret that is valid at the attempt, newest first', async () => {
    const target = await receiver(status(200));
    const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
    let secrets = [other, SECRET];
    const { post } = sender({ secrets: async () => secrets });
    await post(target.origin);
    secrets = [other];
    await post(target.origin);
    const [both, one] = target.got as [Got, Got];
    const signature = (got: Got) => String(got.headers['webhook-signature']);
    expect(signature(both)).to.match(/^v1,\S{44} v1,\S{44}$/);
    for (const secret of [other, SECRET])
      new Webhook(secret).verify(both.body, both.headers as Record<string, string>);
    expect(signature(one)).to.match(/^v1,\S{44}$/);
    new Webhook(other).verify(one.body, one.headers as Record<string, string>);
  });

  it('is tried again, not sent unsigned, if the secrets cannot be read', async () => {
    const target = await receiver(status(200));
    const secrets = async (): Promise<never> => {
      throw new Error('the store does not answer');
    };
    expect(await sender({ secrets }).post(target.origin)).to.deep.equal({
      result: 'retry',
      detail: 'the store does not answer',
    });
    expect(target.got).to.have.length(0);
  });

  it('has no header from the url', async () => {
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
    const own = [
      'content-type',
      'content-length',
      'user-agent',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ];
    expect([...names]).to.have.members([...own, 'host', 'connection']);
    expect(new Set(target.got.map(({ body }) => body))).to.deep.equal(new Set([BODY]));
  });
});
