import { expect } from 'chai';
import { NOON } from '../driven-delivery.js';
import { type Endpoint, newEndpoint } from './driven-endpoint.js';

const DAY = 86_400_000;

/** Reports messages that failed for good, with the receiver's status. */
function fail(endpoint: Endpoint, status: number | undefined, ...names: readonly (number | string)[]): void {
  for (const name of names) {
    endpoint.ask({
      type: 'failed',
      now: NOON,
      deliveryId: `msg_${name}`,
      server: 'web-1',
      receiver: undefined,
      factId: 1,
      status,
    });
  }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

function perform(endpoint: Endpoint): void {
  for (const { id } of endpoint.context.outbox) {
    endpoint.ask({ type: 'performed', now: NOON, entryId: id });
  }
}

describe('an endpoint', () => {
  it('is new until a message fails, and gone when nothing is left to remember', () => {
    const endpoint = newEndpoint();
    endpoint.ask({ type: 'delivered', now: NOON });
    endpoint.ask({ type: 'forget', now: NOON, deliveryId: 'msg_0' });
    endpoint.ask({ type: 'resume', now: NOON, since: NOON });
    endpoint.ask({ type: 'wake', now: NOON });
    expect(endpoint.state).to.equal('new');
    fail(endpoint, 404, 1);
    expect(endpoint.state).to.equal('open');
    expect(endpoint.context).to.deep.include({ dead: ['msg_1'], refusals: 1, server: 'web-1' });
    endpoint.ask({ type: 'forget', now: NOON, deliveryId: 'msg_1' });
    expect(endpoint.state).to.equal('open');
    endpoint.ask({ type: 'delivered', now: NOON });
    expect(endpoint.state).to.equal('gone');
  });

  it('is suspended by a 410 at once', () => {
    const endpoint = newEndpoint();
    fail(endpoint, 410, 1);
    expect(endpoint.state).to.equal('suspended');
    expect(endpoint.context.suspended).to.equal(NOON);
    expect(endpoint.context.outbox).to.deep.equal([
      { id: 'suspend', type: 'suspend', since: NOON, refused: { deliveryId: 'msg_1', factId: 1 } },
    ]);
  });

  it('is suspended by 100 refusals in a row', () => {
    const endpoint = newEndpoint();
    fail(endpoint, 404, ...numbers(1, 99));
    expect(endpoint.state).to.equal('open');
    fail(endpoint, 302, 100);
    expect(endpoint.state).to.equal('suspended');
  });

  it('counts refusals from zero after a delivered message', () => {
    const endpoint = newEndpoint();
    fail(endpoint, 404, ...numbers(1, 99));
    endpoint.ask({ type: 'delivered', now: NOON });
    fail(endpoint, 404, ...numbers(101, 199));
    expect(endpoint.state).to.equal('open');
    fail(endpoint, 404, 200);
    expect(endpoint.state).to.equal('suspended');
  });

  it('counts neither failures without an answer nor a delivery twice', () => {
    const endpoint = newEndpoint();
    fail(endpoint, undefined, ...numbers(1, 300));
    expect(endpoint.context.refusals).to.equal(0);
    for (let i = 0; i < 100; i += 1) fail(endpoint, 404, 'same');
    expect(endpoint.state).to.equal('open');
    expect(endpoint.context.refusals).to.equal(1);
    expect(endpoint.context.dead).to.have.length(301);
  });

  it('is suspended once, whatever the results of messages from before', () => {
    const endpoint = newEndpoint();
    fail(endpoint, 410, 1);
    perform(endpoint);
    fail(endpoint, 410, 2);
    fail(endpoint, 404, ...numbers(3, 150));
    endpoint.ask({ type: 'delivered', now: NOON });
    expect(endpoint.state).to.equal('suspended');
    expect(endpoint.context.outbox).to.be.empty;
  });

  it('is open again, with no refusals, when its subscription is resumed', () => {
    const endpoint = newEndpoint();
    fail(endpoint, 404, ...numbers(1, 100));
    endpoint.ask({ type: 'resume', now: NOON + 5, since: NOON - 1 });
    expect(endpoint.state, 'the event names an older suspension').to.equal('suspended');
    endpoint.ask({ type: 'resume', now: NOON + 5, since: NOON });
    expect(endpoint.state).to.equal('open');
    expect(endpoint.context).to.deep.include({ refusals: 0, outbox: [] });
    fail(endpoint, 404, ...numbers(201, 299));
    expect(endpoint.state).to.equal('open');
    fail(endpoint, 404, 300);
    expect(endpoint.state).to.equal('suspended');
  });

  it('keeps 1,000 dead letters and drops the oldest first', () => {
    const endpoint = newEndpoint();
    fail(endpoint, undefined, ...numbers(1, 1_000));
    expect(endpoint.context.outbox).to.be.empty;
    fail(endpoint, undefined, 1_001, 1_002);
    expect(endpoint.context.dead).to.deep.equal(numbers(3, 1_002).map((n) => `msg_${n}`));
    expect(endpoint.context.outbox.map((entry) => entry.type === 'drop' && entry.deliveryId)).to.deep.equal([
      'msg_1',
      'msg_2',
    ]);
    endpoint.ask({ type: 'forget', now: NOON, deliveryId: 'msg_7' });
    perform(endpoint);
    fail(endpoint, undefined, 1_003);
    expect(endpoint.context.dead).to.have.length(1_000);
    expect(endpoint.context.outbox).to.be.empty;
  });
});

describe('an endpoint whose subscription has ended', () => {
  const check = (endpoint: Endpoint, alive: readonly string[] = []) => {
    endpoint.ask({ type: 'wake', now: NOON + DAY });
    expect(endpoint.context.outbox.map(({ type }) => type)).to.include('check');
    endpoint.ask({ type: 'checked', now: NOON + DAY, subscribed: false, alive });
  };

  it('is gone with its last dead letter', () => {
    const endpoint = newEndpoint();
    fail(endpoint, 410, 1);
    perform(endpoint);
    check(endpoint);
    expect(endpoint.state).to.equal('open');
    endpoint.ask({ type: 'forget', now: NOON, deliveryId: 'msg_1' });
    expect(endpoint.state).to.equal('gone');
  });

  it('is gone if the check finds no dead letters', () => {
    const endpoint = newEndpoint();
    fail(endpoint, 404, 1, 2);
    check(endpoint, ['msg_1', 'msg_2']);
    expect(endpoint.state).to.equal('gone');
  });

  it('is checked once a day', () => {
    const endpoint = newEndpoint();
    fail(endpoint, 404, 1);
    fail(endpoint, 404, 2);
    expect(endpoint.context.wakeAt).to.equal(NOON + DAY);
    endpoint.ask({ type: 'wake', now: NOON + DAY - 1 });
    expect(endpoint.context.outbox).to.be.empty;
    endpoint.ask({ type: 'wake', now: NOON + DAY });
    endpoint.ask({ type: 'checked', now: NOON + DAY, subscribed: true, alive: ['msg_1'] });
    expect(endpoint.state).to.equal('open');
    expect(endpoint.context).to.deep.include({
      dead: ['msg_2'],
      refusals: 2,
      outbox: [],
      wakeAt: NOON + 2 * DAY,
    });
  });
});
