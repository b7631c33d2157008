import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import type { Got } from '../../../delivery/senders/receiver.js';
import type { ApiClient } from '../../api-client.js';
import { arrived, cpu, firedIn, okBody, addSubscribedRule, windowSize } from '../actions.js';
import { deliveries, delivery } from '../deliveries.js';
import { expectRefusal } from '../../refusal.js';
import { scenes } from '../../scene.js';

type Reply = (response: ServerResponse, got: Got) => void;

/** Answers each request with the next behaviour; further requests with the last one. */
function inTurn(...replies: readonly [Reply, ...Reply[]]): Reply {
  let n = 0;
  return (response, got) => {
    const reply = replies[Math.min(n, replies.length - 1)]!;
    n += 1;
    reply(response, got);
  };
}

const ok: Reply = (response) => response.end('thanks');
const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(code, headers).end(`says ${code}`);

describe('a firing', () => {
  const open = scenes();
  let api: ApiClient;
  beforeEach(async () => {
    ({ api } = await open.service());
    await windowSize(api, 1);
  });

  it('is signed according to the Standard Webhooks specification', async () => {
    const receiver = await open.receiver();
    await addSubscribedRule(api, 'web-1', receiver.origin);
    await cpu(api, 'web-1', 1);
    const [{ headers, body }] = (await arrived(receiver, 1)) as [Got];
    const signed = headers as Record<string, string>;
    const key = new Webhook(okBody(await api.call('GET', '/v1.0/demo/webhook-secret'))['secret']!);
    expect(key.verify(body, signed)).to.deep.equal(JSON.parse(body));
    expect(() => new Webhook('whsec_YW5vdGhlciBzZWNyZXQ=').verify(body, signed)).to.throw();
    expect(() => key.verify(`${body} `, signed)).to.throw();
    expect(headers['webhook-id']).to.equal(firedIn([{ body } as Got])[0]!.id);
  });

  for (const [what, first, words] of [
    ['a 500', status(500), '500 in '],
    ['a 503', status(503), '503 in '],
    ['a 408', status(408), '408 in '],
    ['a reset connection', ((_response, got) => got.socket.resetAndDestroy()) as Reply, 'ECONNRESET'],
  ] as const) {
    it(`is sent again after ${what}, with the same bytes and id`, async () => {
      const receiver = await open.receiver(inTurn(first, first, ok));
      await addSubscribedRule(api, 'web-1', receiver.origin);
      await cpu(api, 'web-1', 1);
      const got = await arrived(receiver, 3);
      expect(new Set(got.map(({ body }) => body)).size).to.equal(1);
      expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
      const { attempts } = await delivery(api, ({ state }) => state === 'delivered');
      expect(attempts.map(({ result }) => result)).to.deep.equal(['retry', 'retry', 'delivered']);
      expect(attempts[0]!.detail).to.include(words);
      expect(attempts[2]!.detail).to.match(/^200 in \d+ ms/);
      const { server, since } = await delivery(api, () => true);
      expect(server).to.equal('web-1');
      expect(Date.parse(attempts[0]!.at)).to.be.at.least(Date.parse(since));
    });
  }

  it('waits as long as a 429 with Retry-After asks', async () => {
    const receiver = await open.receiver(inTurn(status(429, { 'retry-after': '2' }), ok));
    await addSubscribedRule(api, 'web-1', receiver.origin);
    await cpu(api, 'web-1', 1);
    await arrived(receiver, 2);
    const { attempts } = await delivery(api, ({ state }) => state === 'delivered');
    const [first, second] = attempts.map(({ at }) => Date.parse(at));
    expect(second! - first!).to.be.within(2_000, 6_000);
    expect(attempts[0]!.result).to.equal('retry');
  });

  it('waits for a receiver that is down and reaches it later', async () => {
    const down = await open.receiver();
    await down.stop();
    await addSubscribedRule(api, 'web-1', `${down.origin}/hook`);
    await cpu(api, 'web-1', 1);
    const { attempts, nextAttemptAt, to } = await delivery(api, (one) => one.attempts.length > 0);
    expect(attempts[0]!.result).to.equal('retry');
    expect(attempts[0]!.detail).to.include('ECONNREFUSED');
    expect(to).to.equal(`${down.origin}/hook`);
    expect(nextAttemptAt === null || Date.parse(nextAttemptAt) > 0).to.equal(true);
    const up = await open.receiver(undefined, down.port);
    expect(firedIn(await arrived(up, 1))[0]).to.deep.include({ factId: 1 });
  });

  for (const code of [301, 302, 307, 308, 400, 401, 404, 410]) {
    it(`is a dead letter after a ${code}, and the redirect is not followed`, async () => {
      const elsewhere = await open.receiver();
      const receiver = await open.receiver(inTurn(status(code, { location: elsewhere.origin }), ok));
      await addSubscribedRule(api, 'web-1', receiver.origin);
      await cpu(api, 'web-1', 1);
      const dead = await delivery(api, ({ state }) => state === 'dead');
      expect(dead.attempts.map(({ result }) => result)).to.deep.equal(['refused']);
      expect(dead.attempts[0]!.detail).to.match(new RegExp(`^${code} in \\d+ ms`));
      if (code < 400) expect(dead.attempts[0]!.detail).to.include('redirects are not followed');
      expect(receiver.got).to.have.length(1);
      expect(elsewhere.got).to.have.length(0);
      expect(await deliveries(api, 'state=dead')).to.deep.equal([dead]);
      expect(await deliveries(api, 'state=delivered')).to.deep.equal([]);

      const again = `/operator/deliveries/${dead.tenant}/${dead.id}/redelivery`;
      expect(okBody(await api.call('POST', again))).to.deep.equal({ id: dead.id, state: 'pending' });
      const [first, second] = (await arrived(receiver, 2)) as [Got, Got];
      expect(second.body).to.equal(first.body);
      expect(second.headers['webhook-id']).to.equal(first.headers['webhook-id']);
      const sent = await delivery(api, ({ state }) => state === 'delivered');
      expect(sent.attempts.map(({ result }) => result)).to.deep.equal(['refused', 'delivered']);
      expectRefusal(await api.call('POST', again), 409, 'is not a dead letter');
    });
  }

  it('to a receiver that never answers does not delay others', async () => {
    const hanging = await open.receiver(() => undefined);
    const lively = await open.receiver();
    await addSubscribedRule(api, 'stuck', hanging.origin);
    await addSubscribedRule(api, 'stuck', `${lively.origin}/beside`);
    await addSubscribedRule(api, 'well', lively.origin);
    await Promise.all(Array.from({ length: 150 }, () => cpu(api, 'stuck', 1)));
    await arrived(lively, 150);
    await cpu(api, 'well', 1);
    // An attempt at the hanging one takes 8 s.
    await arrived(lively, 151, 7_500);
    const unanswered = hanging.got.filter(({ socket }) => !socket.destroyed);
    expect(unanswered.length, 'requests that hang at the same time').to.be.within(1, 16);
  });

  it('is delivered to a receiver that answers slowly', async () => {
    const receiver = await open.receiver((response) => void setTimeout(() => response.end('late'), 700));
    await addSubscribedRule(api, 'web-1', receiver.origin);
    await cpu(api, 'web-1', 1);
    const { attempts } = await delivery(api, ({ state }) => state === 'delivered');
    expect(attempts).to.have.length(1);
    expect(Number(/^200 in (?<ms>\d+) ms/.exec(attempts[0]!.detail)?.groups?.['ms'])).to.be.at.least(690);
  });

  it('to an internal target is refused if the url shows it', async () => {
    const hook = '/v1.0/demo/servers/web-1/subscription';
    const { ruleId } = await addSubscribedRule(api, 'web-1', 'https://example.org/');
    for (const [url, word] of [
      ['http://169.254.169.254/latest', 'never allowed'],
      ['http://[fe80::1]/', 'never allowed'],
      ['http://localhost!', 'host'],
      ['ftp://example.org/', 'http or https'],
      ['http://user:pass@example.org/', 'user name or password'],
      ['example.org', 'absolute'],
    ] as const) {
      const answer = await api.call('POST', hook, { ruleId, url });
      expectRefusal(answer, 400, 'url: ', word);
      expect(JSON.stringify(answer.body), 'said once').not.to.match(/url:? url/);
    }
  });
});
