import { expect } from 'chai';
import type { ServerEvent } from '../../../src/policy/server/server-context.js';
import { type DrivenServer, driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';
import { refused } from '../http/refused.js';

const MARK = '0123456789abcdef01234567';
const wanted = { ruleId: 'r1', url: 'https://example.org/hook' };

const intend = (server: DrivenServer, more: { known?: boolean; generic?: boolean; mark?: string } = {}) => {
  const { known = true, generic = false, mark = MARK } = more;
  const tenant = tenantView(1, generic ? [ruleOf()] : []);
  return server.ask({ type: 'intend', now: NOON, mark, known, wanted, tenant });
};
const bind = (server: DrivenServer, mark: string | undefined = MARK) => {
  const subscription = subscriptionOf({ ...wanted, id: 'b1', broker: { id: 'b1' } });
  const event: ServerEvent = { type: 'subscribe', now: NOON, subscription, tenant: tenantView(), mark };
  return server.ask(event);
};
const settle = (server: DrivenServer, mark = MARK) => server.ask({ type: 'settle', now: NOON, mark });
const retracted = (server: DrivenServer, brokerIds: readonly string[], afterMs = 0) =>
  server.ask({ type: 'retracted', now: NOON + afterMs, mark: MARK, brokerIds });
const entries = (server: DrivenServer) => server.context.outbox.map(({ id }) => id);

describe('the intent of a subscription at the broker', () => {
  let server: DrivenServer;
  beforeEach(() => {
    server = driveServer();
    server.addRule(ruleOf());
  });

  it('is committed before the broker is asked; the commit that binds the subscription removes it', () => {
    expect(intend(server)).to.equal(undefined);
    expect(entries(server)).to.deep.equal([`intend:${MARK}`]);
    expect(bind(server)).to.include({ id: 'b1' });
    expect(entries(server)).to.deep.equal([]);
    expect(server.context.subscriptions.map(({ id }) => id)).to.deep.equal(['b1']);
  });

  it('is not made for an existing subscription, and is refused for an impossible one', () => {
    intend(server);
    bind(server);
    expect(intend(server, { mark: 'another' })).to.include({ id: 'b1' });
    expect(entries(server)).to.deep.equal([]);
    server.ask({ type: 'removeRule', now: NOON, ruleId: 'r1' });
    expect(refused(() => intend(server)).code).to.equal('not-found');
  });

  it('is removed when nothing is at the broker', () => {
    intend(server);
    server.ask({ type: 'abandon', now: NOON, mark: MARK });
    expect(entries(server)).to.deep.equal([]);
  });

  it('is removed with a discarded subscription, which is then ended at the broker', () => {
    intend(server);
    server.ask({ type: 'discard', now: NOON, brokerId: 'b1', mark: MARK });
    expect(entries(server)).to.deep.equal(['unsubscribe:b1']);
  });

  it('binds nothing once it is given up, and the subscriptions with its mark are ended', () => {
    intend(server);
    settle(server);
    expect(entries(server)).to.deep.equal([`retract:${MARK}`]);
    const { code, message } = refused(() => bind(server));
    expect([code, message]).to.deep.equal([
      'unavailable',
      'the context broker took too long; nothing was done',
    ]);
    retracted(server, ['b7']);
    expect(entries(server)).to.deep.equal([]);
    expect(server.measure({ cpu: 1 }, { source: 'b7' }).counted).to.equal(false);
  });

  it('is not given up after it was bound or removed', () => {
    intend(server);
    bind(server);
    settle(server);
    expect(entries(server)).to.deep.equal([]);
    expect(server.context.subscriptions).to.have.length(1);
  });

  it('is looked for at the broker for one minute after it is given up', () => {
    intend(server);
    settle(server);
    retracted(server, [], 59_999);
    expect(entries(server)).to.deep.equal([`retract:${MARK}`]);
    retracted(server, [], 60_000);
    expect(entries(server)).to.deep.equal([]);
  });

  it('leaves a server unknown that is known by nothing else', () => {
    for (const end of [
      (one: DrivenServer) => one.ask({ type: 'abandon', now: NOON, mark: MARK }),
      (one: DrivenServer) => {
        settle(one);
        retracted(one, ['b1']);
      },
    ]) {
      const unknown = driveServer();
      intend(unknown, { known: false, generic: true });
      expect(unknown.state).to.equal('unwatched');
      end(unknown);
      expect(unknown.state).to.equal('gone');
    }
    const measured = driveServer();
    intend(measured, { known: false, generic: true });
    measured.measure({ cpu: 1 });
    measured.ask({ type: 'abandon', now: NOON, mark: MARK });
    expect(measured.state).to.equal('unwatched');
    intend(server);
    server.ask({ type: 'abandon', now: NOON, mark: MARK });
    expect(server.state).to.equal('unwatched');
  });

  it('leaves a server known that had a rule or a subscription in between', () => {
    const had: [string, (one: DrivenServer) => void][] = [
      [
        'rule',
        (one) => {
          one.addRule(ruleOf());
          one.ask({ type: 'removeRule', now: NOON, ruleId: 'r1' });
        },
      ],
      [
        'subscription',
        (one) => {
          const subscription = subscriptionOf({ ...wanted, id: 'b1' });
          const tenant = tenantView(1, [ruleOf()]);
          one.ask({ type: 'subscribe', now: NOON, subscription, tenant });
          one.ask({ type: 'unsubscribe', now: NOON, subscriptionId: 'b1' });
        },
      ],
    ];
    for (const [what, come] of had) {
      const one = driveServer();
      intend(one, { known: false, generic: true });
      come(one);
      one.ask({ type: 'abandon', now: NOON, mark: MARK });
      expect(one.state, what).to.equal('unwatched');
      expect(entries(one), what).to.deep.equal([]);
    }
  });

  it('keeps facts with its mark from counting beside those of the feeding subscription', () => {
    intend(server, { mark: 'one' });
    expect(server.measure({ cpu: 1 }, { source: 'one' }).counted).to.equal(true);
    bind(server, 'one');
    server.ask({
      type: 'intend',
      now: NOON,
      mark: MARK,
      known: true,
      wanted: { ruleId: 'r1', url: 'https://example.org/2' },
      tenant: tenantView(),
    });
    expect(server.measure({ cpu: 1 }, { source: MARK }).counted).to.equal(false);
    settle(server);
    expect(server.measure({ cpu: 1 }, { source: MARK }).counted).to.equal(false);
    expect(server.measure({ cpu: 1 }, { source: 'b1' }).counted).to.equal(true);
    expect(server.measure({ cpu: 1 }, { source: 'a-strangers' }).counted).to.equal(true);
  });
});
