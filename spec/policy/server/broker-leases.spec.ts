import { expect } from 'chai';
import { type DrivenServer, driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';
import type { BrokerLease } from '../../../src/policy/state/subscription.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** A server with a rule and subscriptions `b1`, `b2`, … with leases. */
function fedServer(...leases: readonly Partial<BrokerLease>[]): DrivenServer {
  const server = driveServer();
  server.addRule(ruleOf());
  server.askTogether(
    leases.map((lease, i) => {
      const id = `b${i + 1}`;
      const subscription = subscriptionOf({ id, url: `https://example.org/${id}`, broker: { id, ...lease } });
      return { type: 'subscribe', now: NOON, subscription, tenant: tenantView() };
    }),
  );
  return server;
}

const sentBy = (server: DrivenServer, source: string) => server.measure({ cpu: 1 }, { source }).counted;
const end = (server: DrivenServer, subscriptionId: string) =>
  server.ask({ type: 'unsubscribe', now: NOON, subscriptionId });
const wake = (server: DrivenServer, now: number) => server.ask({ type: 'wake', now });
const effects = (server: DrivenServer) => server.context.outbox.map(({ id }) => id);

describe('facts that a broker sends for several subscriptions of a server', () => {
  it('count once, for the oldest subscription', () => {
    const server = fedServer({}, {}, {});
    expect(sentBy(server, 'b2')).to.equal(false);
    expect(sentBy(server, 'b1')).to.equal(true);
    expect(sentBy(server, 'b3')).to.equal(false);
    expect(server.context.factId).to.equal(1);
    expect(server.context.windows.tracked['cpu']!.values).to.deep.equal([1]);
  });

  it('that do not count fire nothing and are answered with the number of the last fact', () => {
    const server = fedServer({}, {});
    expect(server.measure({ cpu: 90 }, { source: 'b1' })).to.deep.equal({
      factId: 1,
      counted: true,
      evaluated: 2,
      fired: 2,
    });
    expect(server.measure({ cpu: 90 }, { source: 'b2' })).to.deep.equal({
      factId: 1,
      counted: false,
      ignored: [{ metric: 'cpu', why: 'other subscription', count: 1 }],
      evaluated: 0,
      fired: 0,
    });
    expect(server.messages()).to.have.length(2);
  });

  it('count for the next subscription once the oldest has ended, and no longer for the ended one', () => {
    const server = fedServer({}, {}, {});
    end(server, 'b1');
    expect(sentBy(server, 'b2')).to.equal(true);
    expect(sentBy(server, 'b1')).to.equal(false);
    expect(sentBy(server, 'b3')).to.equal(false);
    end(server, 'b3');
    expect(sentBy(server, 'b2')).to.equal(true);
    expect(sentBy(server, 'b3')).to.equal(false);
  });

  it('do not count for subscriptions that ended with their rule', () => {
    const server = fedServer(...Array.from({ length: 1_000 }, () => ({})));
    server.ask({ type: 'removeRule', now: NOON, ruleId: 'r1' });
    for (const source of ['b1', 'b2', 'b500', 'b1000']) expect(sentBy(server, source)).to.equal(false);
  });

  it('do not count for a discarded subscription', () => {
    const server = fedServer({});
    server.ask({ type: 'discard', now: NOON, brokerId: 'b9' });
    expect(sentBy(server, 'b9')).to.equal(false);
  });

  it('count if they name no subscription or one that the service never made', () => {
    const server = fedServer({}, {});
    end(server, 'b2');
    expect(sentBy(server, 'somebody-elses')).to.equal(true);
    expect(server.measure({ cpu: 1 }).counted).to.equal(true);
    expect(sentBy(server, 'b1')).to.equal(true);
  });

  it('count for a subscription without a broker beside one that a broker feeds', () => {
    const server = fedServer({});
    server.subscribe(subscriptionOf({ id: 's1', url: 'https://example.org/s1' }));
    expect(sentBy(server, 's1')).to.equal(true);
    expect(sentBy(server, 'b1')).to.equal(true);
  });
});

describe('the end of a subscription with a lease', () => {
  it('ends the lease at the broker', () => {
    const server = fedServer({}, {});
    end(server, 'b2');
    expect(server.context.outbox).to.deep.equal([
      { id: 'unsubscribe:b2', type: 'unsubscribe', brokerId: 'b2' },
    ]);
    server.ask({ type: 'performed', now: NOON, entryId: 'unsubscribe:b2' });
    expect(server.context.outbox).to.be.empty;
  });

  it('ends the lease of each subscription when their rule is removed', () => {
    const server = fedServer({}, {});
    server.ask({ type: 'removeRule', now: NOON, ruleId: 'r1' });
    expect(effects(server)).to.deep.equal(['unsubscribe:b1', 'unsubscribe:b2']);
  });

  it('ends the lease of a discarded subscription once', () => {
    const server = fedServer();
    server.ask({ type: 'discard', now: NOON, brokerId: 'b9' });
    server.ask({ type: 'discard', now: NOON, brokerId: 'b9' });
    expect(effects(server)).to.deep.equal(['unsubscribe:b9']);
  });

  it('asks nothing of the broker if the subscription has no lease', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    server.subscribe(subscriptionOf());
    end(server, 's1');
    expect(server.context.outbox).to.be.empty;
  });
});

describe('the renewal of a lease', () => {
  const lease = { expiresAt: NOON + 24 * HOUR };
  const due = lease.expiresAt - HOUR;

  it('is due an hour before the lease expires, the earliest first', () => {
    expect(fedServer(lease).context.wakeAt).to.equal(due);
    expect(fedServer(lease, { expiresAt: lease.expiresAt - 5 }, {}).context.wakeAt).to.equal(due - 5);
    expect(fedServer({}).context.wakeAt).to.equal(undefined);
  });

  it('is due within an hour of the last check, whenever the lease expires', () => {
    const checkedAt = NOON;
    const server = fedServer({ ...lease, checkedAt }, { checkedAt: NOON + MINUTE });
    const soon = server.context.wakeAt!;
    expect(soon).to.be.within(NOON + 30 * MINUTE, NOON + 55 * MINUTE);
    wake(server, soon);
    expect(effects(server)).to.deep.equal(['renew:b1']);
    expect(server.context.wakeAt).to.equal(soon + MINUTE);
    const broker = { ...lease, id: 'b1', checkedAt: soon };
    server.ask({ type: 'renewed', now: soon, entryId: 'renew:b1', subscriptionId: 'b1', broker });
    end(server, 'b2');
    expect(server.context.wakeAt).to.equal(soon + (soon - NOON));
  });

  it('starts when it is due, not before', () => {
    const server = fedServer(lease, { expiresAt: lease.expiresAt + HOUR }, {});
    wake(server, due - 1);
    expect(server.context.outbox).to.be.empty;
    wake(server, due);
    expect(server.context.outbox).to.deep.equal([
      { id: 'renew:b1', type: 'renew', subscriptionId: 'b1', brokerId: 'b1' },
    ]);
  });

  it('starts once, and the other leases keep their times', () => {
    const server = fedServer(lease, { expiresAt: lease.expiresAt + 5 * MINUTE });
    wake(server, due);
    expect(server.context.wakeAt).to.equal(due + 5 * MINUTE);
    wake(server, due + 5 * MINUTE);
    wake(server, server.context.wakeAt!);
    expect(effects(server)).to.deep.equal(['renew:b1', 'renew:b2']);
    expect(server.context.wakeAt).to.equal(due + 25 * MINUTE);
  });

  it('moves the end, and the subscription keeps its id', () => {
    const server = fedServer(lease);
    wake(server, due);
    const expiresAt = lease.expiresAt + 24 * HOUR;
    server.ask({
      type: 'renewed',
      now: due,
      entryId: 'renew:b1',
      subscriptionId: 'b1',
      broker: { id: 'b1', expiresAt },
    });
    expect(server.context.outbox).to.be.empty;
    expect(server.context.wakeAt).to.equal(expiresAt - HOUR);
    expect(server.context.subscriptions[0]).to.deep.include({ id: 'b1', broker: { id: 'b1', expiresAt } });
    expect(sentBy(server, 'b1')).to.equal(true);
  });

  it('comes at most once a minute if the broker grants less than an hour', () => {
    const server = fedServer({ expiresAt: NOON + 30 * MINUTE });
    wake(server, NOON);
    const broker = { id: 'b1', expiresAt: NOON + 30 * MINUTE };
    server.ask({ type: 'renewed', now: NOON, entryId: 'renew:b1', subscriptionId: 'b1', broker });
    expect(server.context.wakeAt).to.equal(NOON + MINUTE);
  });

  it('is not planned for a lease that does not expire', () => {
    const server = fedServer(lease);
    wake(server, due);
    const broker = { id: 'b1' };
    server.ask({ type: 'renewed', now: due, entryId: 'renew:b1', subscriptionId: 'b1', broker });
    expect(server.context.wakeAt).to.equal(undefined);
  });

  describe('of a lease that the broker had lost', () => {
    const replaced = (): DrivenServer => {
      const server = fedServer(lease, {});
      wake(server, due);
      const broker = { id: 'new', expiresAt: lease.expiresAt + HOUR };
      server.ask({ type: 'renewed', now: due, entryId: 'renew:b1', subscriptionId: 'b1', broker });
      return server;
    };

    it('feeds the subscription under another id; its own id stays', () => {
      const server = replaced();
      expect(server.context.subscriptions[0]!.id).to.equal('b1');
      expect(sentBy(server, 'new')).to.equal(true);
      expect(sentBy(server, 'b1')).to.equal(false);
      expect(sentBy(server, 'b2')).to.equal(false);
    });

    it('ends the new lease with the subscription', () => {
      const server = replaced();
      end(server, 'b1');
      expect(effects(server)).to.deep.equal(['unsubscribe:new']);
      expect(sentBy(server, 'new')).to.equal(false);
    });
  });

  it('that comes after the subscription has ended is ended at the broker and feeds nothing', () => {
    const server = fedServer(lease, {});
    wake(server, due);
    end(server, 'b1');
    expect(effects(server)).to.deep.equal(['unsubscribe:b1']);
    const broker = { id: 'new', expiresAt: due + HOUR };
    server.ask({ type: 'renewed', now: due, entryId: 'renew:b1', subscriptionId: 'b1', broker });
    expect(effects(server)).to.deep.equal(['unsubscribe:b1', 'unsubscribe:new']);
    expect(sentBy(server, 'new')).to.equal(false);
    expect(server.context.wakeAt).to.equal(undefined);
  });
});
