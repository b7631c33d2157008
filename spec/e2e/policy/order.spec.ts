import { expect } from 'chai';
import { reply, startMailServer } from '../../delivery/senders/mail-server.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import type { ApiClient } from '../api-client.js';
import { scenes } from '../scene.js';
import { addSubscribedRule, arrived, cpu, okBody, onceAbove, subscribe, windowSize } from './actions.js';
import { deliveries, delivery } from './deliveries.js';

const ONCE = onceAbove(85);
const MAIL = { ...ONCE, action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Look.' } };

const stateOf = (body: string): string => (JSON.parse(body) as { readonly state: string }).state;

/** Resolves with the deliveries of a subscription, oldest first, once each of them is delivered. */
async function allDelivered(api: ApiClient, subscriptionId: string, count: number): Promise<void> {
  await eventually(
    async () => {
      const all = await deliveries(api, `subscription=${subscriptionId}&state=delivered`);
      return all.length === count ? true : undefined;
    },
    SOON_MS,
    () => `${subscriptionId} has not ${count} delivered messages`,
  );
}

describe('the messages of a rule with states', () => {
  const open = scenes();

  it('reach a receiver that was away in the order in which they were made; another one does not wait', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    const answers = [503, 503];
    const receiver = await open.receiver((response) => {
      const status = answers.shift() ?? 200;
      response.writeHead(status, { 'Retry-After': '1' }).end();
    });
    const healthy = await open.receiver();
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, ONCE);
    const other = await subscribe(api, 'web-1', ruleId, healthy.origin);
    await cpu(api, 'web-1', 97);
    await arrived(receiver, 1);
    await cpu(api, 'web-1', 10);
    await cpu(api, 'web-1', 98);
    await arrived(healthy, 3);
    await allDelivered(api, other, 3);
    expect(receiver.got.length).to.be.below(3);
    await arrived(receiver, 5);
    expect(receiver.got.map(({ body }) => stateOf(body))).to.deep.equal([
      'firing',
      'firing',
      'firing',
      'resolved',
      'firing',
    ]);
    await allDelivered(api, subscriptionId, 3);
  });

  it('reach a mailbox whose server answered 451 in the order in which they were made', async () => {
    let refusals = 2;
    const subjects: string[] = [];
    const server = await startMailServer({
      async onData(stream, _session, done) {
        let text = '';
        for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString('latin1');
        const subject = /^Subject: (\w+)/m.exec(text)![1]!;
        // A server with greylisting refuses a message, and takes another one at the same time.
        if (subject === 'Firing' && refusals > 0) {
          refusals -= 1;
          return done(reply(451, '4.7.1 greylisted, try again'));
        }
        subjects.push(subject);
        done();
      },
    });
    open.keep(server, (one) => one.stop());
    const { api } = await open.service({ SMTP_URL: server.url });
    await windowSize(api, 1);
    const receiver = await open.receiver();
    await addSubscribedRule(api, 'web-1', receiver.origin, MAIL);
    await cpu(api, 'web-1', 97);
    await cpu(api, 'web-1', 10);
    await eventually(
      () => (subjects.length === 2 ? subjects : undefined),
      SOON_MS,
      () => `only ${subjects.join()} arrived`,
    );
    expect(subjects).to.deep.equal(['Firing', 'Resolved']);
    // The webhooks of the subscription do not wait for its mails.
    expect(receiver.got.map(({ body }) => stateOf(body))).to.deep.equal(['firing', 'resolved']);
  });

  it('wait no longer once the one before is a dead letter; sent again, that one holds up nobody', async () => {
    const { api } = await open.service();
    await windowSize(api, 1);
    let away = true;
    const receiver = await open.receiver((response, { body }) => {
      const isFirst = (JSON.parse(body) as { readonly factId: number }).factId === 1;
      const status = isFirst && away ? (receiver.got.length > 1 ? 400 : 503) : 200;
      response.writeHead(status, { 'Retry-After': '2' }).end();
    });
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, ONCE);
    await cpu(api, 'web-1', 97);
    await arrived(receiver, 1);
    await cpu(api, 'web-1', 10);
    await cpu(api, 'web-1', 99);
    const last = await delivery(api, ({ message }) => message.body.includes('"factId":3'));
    const [, resolved, first] = await deliveries(api, `subscription=${subscriptionId}`);
    expect([first!.waitsFor, resolved!.waitsFor, last.waitsFor]).to.deep.equal([
      null,
      first!.id,
      resolved!.id,
    ]);
    expect([resolved!.state, resolved!.nextAttemptAt]).to.deep.equal(['pending', null]);
    await arrived(receiver, 4);
    const states = receiver.got.map(({ body }) => stateOf(body));
    expect(states).to.deep.equal(['firing', 'firing', 'resolved', 'firing']);

    const dead = await delivery(api, ({ state }) => state === 'dead');
    expect(dead.id).to.equal(first!.id);
    receiver.got.length = 0;
    okBody(await api.call('POST', `/operator/deliveries/${dead.tenant}/${dead.id}/redelivery`));
    await arrived(receiver, 1);
    await cpu(api, 'web-1', 1);
    await arrived(receiver, 2);
    expect(receiver.got.map(({ body }) => stateOf(body))).to.deep.equal(['firing', 'resolved']);
    away = false;
    await allDelivered(api, subscriptionId, 4);
  });
});
