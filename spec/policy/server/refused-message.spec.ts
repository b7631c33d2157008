import { expect } from 'chai';
import { type DrivenServer, driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

const tenant = tenantView();
const at = (second: number): number => NOON + second * 1_000;

function subscribed(rule: Parameters<typeof ruleOf>[0]): DrivenServer {
  const server = driveServer();
  server.addRule(ruleOf(rule));
  server.subscribe(subscriptionOf());
  return server;
}

/** The messages so far, without those of before. */
function notified(server: DrivenServer): unknown[] {
  const all = server.bodies().map(({ state, factId }) => `${String(state)} ${String(factId)}`);
  server.ask({ type: 'dispatched', now: NOON, entryIds: server.messages().map(({ id }) => id) });
  return all;
}

function measure(server: DrivenServer, second: number, cpu: number): void {
  server.measure({ cpu }, { now: at(second) });
}

/** Suspends the subscription by the refusal of the message of a fact. */
function refuse(server: DrivenServer, second: number, factId: number | null, deliveryId = 'msg_1'): void {
  const refused = { deliveryId, factId };
  server.ask({ type: 'suspend', now: at(second), subscriptionId: 's1', since: at(second), refused });
}

function resume(server: DrivenServer, second: number): void {
  server.subscribe(subscriptionOf({ id: 's9' }), { now: at(second) });
}

describe('the message whose refusal suspends', () => {
  it('changes nothing if a later firing of its period was sent', () => {
    const server = subscribed({ repeat: 5, resolve: true });
    measure(server, 0, 90);
    measure(server, 5, 90);
    refuse(server, 6, 1);
    resume(server, 7);
    notified(server);
    measure(server, 9, 90);
    measure(server, 10, 90);
    measure(server, 11, 1);
    expect(notified(server)).to.deep.equal(['firing 4', 'resolved 5']);
  });

  it('counts for repeat no more: the firing before it does', () => {
    const server = subscribed({ repeat: 5 });
    measure(server, 0, 90);
    measure(server, 5, 90);
    refuse(server, 6, 2);
    server.ask({ type: 'changeRule', now: at(6), ruleId: 'r1', change: { repeat: 20 }, tenant });
    resume(server, 7);
    notified(server);
    measure(server, 19, 90);
    expect(notified(server)).to.deep.equal([]);
    measure(server, 20, 90);
    expect(notified(server)).to.deep.equal(['firing 4']);
  });

  it('changes nothing if it is of a period that is over and resolved', () => {
    const server = subscribed({ repeat: 0, resolve: true });
    measure(server, 0, 90);
    measure(server, 1, 1);
    refuse(server, 2, 1);
    resume(server, 3);
    notified(server);
    measure(server, 4, 1);
    expect(notified(server)).to.deep.equal([]);
  });

  it('is taken back once, however often the suspension is reported', () => {
    const server = subscribed({ repeat: 0 });
    measure(server, 0, 90);
    const event = {
      type: 'suspend',
      now: at(1),
      subscriptionId: 's1',
      since: at(1),
      refused: { deliveryId: 'msg_1', factId: 1 },
    } as const;
    server.ask(event);
    server.ask(event);
    resume(server, 2);
    notified(server);
    measure(server, 3, 90);
    server.ask(event);
    measure(server, 4, 90);
    expect(notified(server)).to.deep.equal(['firing 2']);
    expect(server.context.subscriptions[0]!.suspended).to.equal(undefined);
  });

  it('is the noData of the absence that lasts, and not one of before', () => {
    const server = subscribed({ noData: 10 });
    const noData = (second: number): string => {
      server.ask({ type: 'wake', now: at(second) });
      server.ask({ type: 'noDataTimeout', now: at(second), tenant });
      return server.messages().at(-1)!.id;
    };
    measure(server, 0, 1);
    const first = noData(10);
    measure(server, 11, 1);
    const second = noData(21);
    notified(server);
    refuse(server, 22, null, first);
    resume(server, 23);
    expect(server.context.wakeAt).to.equal(undefined);
    refuse(server, 24, null, second);
    resume(server, 25);
    expect(server.context.wakeAt).to.equal(at(25));
    noData(25);
    expect(notified(server)).to.deep.equal(['noData null']);
  });
});

describe('a noData that was kept back', () => {
  it('wakes the server at the end of the mute, and for the next one after it', () => {
    const server = subscribed({ noData: 10 });
    measure(server, 0, 1);
    server.ask({ type: 'mute', now: at(1), subscriptionId: 's1', until: at(60) });
    const wake = (second: number): void => void server.ask({ type: 'wake', now: at(second) });
    const timeOut = (second: number): void =>
      void server.ask({ type: 'noDataTimeout', now: at(second), tenant });
    wake(10);
    timeOut(10);
    expect([notified(server), server.context.wakeAt]).to.deep.equal([[], at(60)]);
    // The mute is taken away while the server is about to look at it.
    wake(60);
    server.ask({ type: 'unmute', now: at(60), subscriptionId: 's1' });
    measure(server, 60, 1);
    timeOut(60);
    wake(60);
    timeOut(60);
    expect([notified(server), server.context.wakeAt]).to.deep.equal([['noData null'], at(70)]);
  });
});
