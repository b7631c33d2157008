import { expect } from 'chai';
import { refused } from '../http/refused.js';
import { type DrivenServer, driveServer, NOON, ruleOf, subscriptionOf } from './driven-server.js';
import { currentMute } from '../../../src/policy/state/subscription.js';

const HOUR = 3_600_000;
const mute = (subscriptionId = 's1', until = NOON + HOUR) =>
  ({ type: 'mute', now: NOON, subscriptionId, until }) as const;
const unmute = (subscriptionId = 's1') => ({ type: 'unmute', now: NOON, subscriptionId }) as const;

function subscribedServer(): DrivenServer {
  const server = driveServer();
  server.addRule(ruleOf());
  server.subscribe(subscriptionOf());
  server.subscribe(subscriptionOf({ id: 's2', url: 'https://example.org/other' }));
  return server;
}

describe('the mute of a subscription', () => {
  it('belongs to its subscription alone, and ends at its time', () => {
    const server = subscribedServer();
    server.ask(mute());
    const [first, second] = server.context.subscriptions;
    expect(currentMute({ subscription: first!, quiet: [] }, NOON)?.until).to.equal(NOON + HOUR);
    expect(currentMute({ subscription: first!, quiet: [] }, NOON + HOUR - 1)?.until).to.equal(NOON + HOUR);
    expect(currentMute({ subscription: first!, quiet: [] }, NOON + HOUR)?.until).to.equal(undefined);
    expect(currentMute({ subscription: second!, quiet: [] }, NOON)?.until).to.equal(undefined);
  });

  it('is replaced by the next one, a shorter one too', () => {
    const server = subscribedServer();
    server.ask(mute());
    server.ask(mute('s1', NOON + 1));
    expect(currentMute({ subscription: server.context.subscriptions[0]!, quiet: [] }, NOON)?.until).to.equal(
      NOON + 1,
    );
  });

  it('is ended by unmute, which changes nothing for one that is not muted', () => {
    const server = subscribedServer();
    const { subscriptions } = server.context;
    server.ask(unmute());
    expect(server.context.subscriptions).to.equal(subscriptions);
    server.ask(mute());
    server.ask(unmute());
    expect(server.context.subscriptions).to.deep.equal(subscriptions);
  });

  it('stays when operation 15 binds the same rule and url again, and when a suspension ends', () => {
    const server = subscribedServer();
    server.ask(mute());
    expect(server.subscribe(subscriptionOf({ id: 's9' })).mutedUntil).to.equal(NOON + HOUR);
    server.ask({
      type: 'suspend',
      now: NOON,
      subscriptionId: 's1',
      since: NOON,
      refused: { deliveryId: 'msg_x', factId: 0 },
    });
    expect(server.subscribe(subscriptionOf({ id: 's9' })).mutedUntil).to.equal(NOON + HOUR);
  });

  it('ends with its subscription', () => {
    const server = subscribedServer();
    server.ask(mute());
    server.ask({ type: 'unsubscribe', now: NOON, subscriptionId: 's1' });
    expect(server.subscribe(subscriptionOf({ id: 's9' })).mutedUntil).to.equal(undefined);
    expect(refused(() => server.ask(mute())).code).to.equal('not-found');
  });

  it('is refused for a subscription that the server does not have', () => {
    const server = subscribedServer();
    for (const event of [mute('s3'), unmute('s3')]) {
      const refusal = refused(() => server.ask(event));
      expect(refusal.code).to.equal('not-found');
      expect(refusal.message).to.equal('subscriptionId: no subscription s3 on this server');
    }
  });
});
