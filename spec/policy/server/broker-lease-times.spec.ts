import { expect } from 'chai';
import { driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

const HOUR = 3_600_000;
const DUE = NOON + 60_000;

describe('a server with a lease, and a rule that has a no-data timeout', () => {
  const broker = { id: 'b1', expiresAt: NOON + HOUR, checkedAt: NOON };
  const leased = () => {
    const server = driveServer();
    server.addRule(ruleOf({ noData: 60 }));
    const subscription = { ...subscriptionOf({ id: 'b1' }), broker };
    server.ask({ type: 'subscribe', now: NOON, subscription, tenant: tenantView() });
    return server;
  };
  const renewed = { type: 'renewed', now: NOON, entryId: 'renew:b1', subscriptionId: 'b1' } as const;

  it('wakes up for whichever is due first', () => {
    expect(leased().context.wakeAt).to.equal(NOON);
    const lasting = leased();
    lasting.ask({ ...renewed, broker: { id: 'b1', expiresAt: NOON + 24 * HOUR, checkedAt: NOON } });
    expect(lasting.context.wakeAt).to.equal(DUE);
  });

  it('still times out at that time after a renewal', () => {
    const server = leased();
    server.ask({ type: 'wake', now: NOON });
    expect(server.context.outbox.map(({ type }) => type)).to.deep.equal(['renew']);
    server.ask({ ...renewed, broker: { ...broker, expiresAt: NOON + 24 * HOUR } });
    expect(server.context).to.include({ noDataAt: DUE, wakeAt: DUE });
    server.ask({ type: 'wake', now: DUE });
    expect(server.context.outbox.map(({ type }) => type)).to.deep.equal(['noDataTimeout']);
  });
});

describe('a subscription with a lease that is asked for again', () => {
  const MINUTE = 60_000;
  const wanted = { ruleId: 'r1', url: 'https://example.org/hook' };
  const fed = () => {
    const server = driveServer();
    server.addRule(ruleOf());
    const broker = { id: 'b1', expiresAt: NOON + 24 * HOUR, checkedAt: NOON };
    server.subscribe({ ...subscriptionOf({ id: 's1' }), broker });
    return server;
  };
  const again = (server: ReturnType<typeof fed>, now: number) =>
    server.ask({ type: 'intend', now, mark: 'm', known: true, wanted, tenant: tenantView() }) as {
      id: string;
    };
  const renewals = (server: ReturnType<typeof fed>) =>
    server.context.outbox.filter(({ type }) => type === 'renew').map(({ id }) => id);

  it('is checked at the broker, once, unless that was done in the last minute', () => {
    const server = fed();
    expect(again(server, NOON + MINUTE - 1).id).to.equal('s1');
    expect(renewals(server)).to.deep.equal([]);
    expect(again(server, NOON + MINUTE).id).to.equal('s1');
    expect(again(server, NOON + MINUTE).id).to.equal('s1');
    expect(renewals(server)).to.deep.equal(['renew:s1']);
  });

  it('is not checked without a lease', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    server.subscribe(subscriptionOf());
    expect(again(server, NOON + HOUR).id).to.equal('s1');
    expect(server.context.outbox).to.deep.equal([]);
  });
});
