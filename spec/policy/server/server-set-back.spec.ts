import { expect } from 'chai';
import type { Rule } from '../../../src/policy/rules/rule.js';
import type { ServerSettings } from '../../../src/policy/server/take-facts.js';
import { stateFrom } from '../../../src/policy/state/subscription-state.js';
import { policyScene, withRule } from '../policy-scene.js';
import { ADDRESS, driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';
import { currentMute } from '../../../src/policy/state/subscription.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const YEARS = 40 * 365 * 24 * HOUR;
const MARK = '0123456789abcdef01234567';
const MAIL = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look.' } as const;
const CPU = { cpu: { value: 80, operand: 'greater' } } as const;

const drive = (settings: Partial<ServerSettings> = {}) => driveServer(settings, ADDRESS, { setsBack: true });

/** A server with a subscription made at noon, whose windows no pause empties. */
function subscribed(rule: Partial<Rule>, settings: Partial<ServerSettings> = {}) {
  const server = drive({ gapMs: 0, ...settings });
  const tenant = tenantView();
  server.addRule(ruleOf(rule));
  server.subscribe(subscriptionOf());
  return {
    server,
    fact: (cpu: number, now: number): number => server.measure({ cpu }, { now }).fired,
    /** Wakes the server, as the sweep does, and performs what it has planned. */
    wake: (now: number): void => {
      server.ask({ type: 'wake', now });
      if (server.context.outbox.some(({ type }) => type === 'noDataTimeout'))
        server.ask({ type: 'noDataTimeout', now, tenant });
    },
    states: () => server.bodies().map(({ state }) => state),
    current: () => stateFrom(server.context.states[0])!,
    mutedUntil: (now: number) =>
      currentMute({ subscription: server.context.subscriptions[0]!, quiet: [] }, now)?.until,
  };
}

for (const by of [2 * SECOND, HOUR, YEARS]) {
  describe(`a server whose clock is set back by ${by / SECOND} s`, () => {
    const back = NOON - by;

    it('fires when the time of `for` is over from then on', () => {
      const { fact, current } = subscribed({ for: 60, repeat: 0 });
      fact(90, NOON - 30 * SECOND);
      expect(fact(90, NOON)).to.equal(0);
      const seconds = [0, 59, 60, 61].map((s) => fact(90, back + s * SECOND));
      expect(seconds).to.deep.equal(by < 30 * SECOND ? [0, 1, 0, 0] : [0, 0, 1, 0]);
      expect(current()).to.include({ state: 'firing', since: NOON - 30 * SECOND });
    });

    it('goes on firing, after `repeat` at most', () => {
      const { fact, current } = subscribed({ for: 30, repeat: 60 });
      fact(90, NOON - 30 * SECOND);
      expect(fact(90, NOON)).to.equal(1);
      const fired = [0, 30, 59, 60, 119, 120].map((s) => {
        const count = fact(90, back + s * SECOND);
        expect(current()).to.include({ state: 'firing', since: NOON - 30 * SECOND });
        return count;
      });
      expect(fired).to.deep.equal([0, 0, 0, 1, 0, 1]);
    });

    it('fires again only in another period with `repeat: 0`, and is resolved', () => {
      const { server, fact, states } = subscribed({ repeat: 0, resolve: true });
      fact(90, NOON);
      for (const s of [0, 60, by / SECOND, by / SECOND + 60]) expect(fact(90, back + s * SECOND)).to.equal(0);
      fact(10, NOON + MINUTE);
      expect(states()).to.deep.equal(['firing', 'resolved']);
      const [fired, resolved] = server.bodies();
      expect(resolved!['since']).to.equal(fired!['since']);
    });

    it('counts `repeat` in a mute alike', () => {
      const { server, fact } = subscribed({ repeat: 60 });
      server.ask({ type: 'mute', now: NOON, subscriptionId: 's1', until: NOON + 10 * MINUTE });
      fact(90, NOON);
      for (const s of [0, 59, 60]) fact(90, back + s * SECOND);
      expect(server.context.unsent).to.deep.equal({ s1: 2 });
    });

    it('notifies of `noData` when its time is over from then on, once', () => {
      const { server, fact, wake, states, current } = subscribed({ noData: 60 });
      fact(10, NOON);
      wake(back);
      expect(server.context.wakeAt).to.equal(back + MINUTE);
      wake(back + MINUTE - 1);
      expect(states()).to.deep.equal([]);
      wake(back + MINUTE);
      expect(states()).to.deep.equal(['noData']);
      for (const at of [back + 2 * MINUTE, NOON, NOON + MINUTE, NOON + HOUR]) wake(at);
      expect(states()).to.deep.equal(['noData']);
      expect(current().state).to.equal('noData');
      fact(10, NOON + 2 * HOUR);
      wake(NOON + 2 * HOUR + MINUTE);
      expect(states()).to.deep.equal(['noData', 'noData']);
    });

    it('notifies of `noData` no second time for the same last measurement', () => {
      const { server, fact, wake, states, current } = subscribed({ noData: 60 });
      fact(10, NOON - MINUTE);
      wake(NOON);
      expect(states()).to.deep.equal(['noData']);
      for (const s of [0, 60, 600]) {
        // Compares the time with the rules as well.
        server.measure({ net: 1 }, { now: back + s * SECOND });
        wake(back + s * SECOND);
      }
      expect(states()).to.deep.equal(['noData']);
      expect(current()).to.include({ state: 'noData', noDataSince: NOON - MINUTE });
      fact(10, back + 700 * SECOND);
      expect(current().state).to.equal('calm');
      expect(server.context.wakeAt).to.equal(back + 760 * SECOND);
    });

    it('notifies of `noData` of a metric that never came, from then on', () => {
      const { wake, states } = subscribed({ noData: 60 });
      wake(back);
      wake(back + MINUTE - 1);
      expect(states()).to.deep.equal([]);
      wake(back + MINUTE);
      expect(states()).to.deep.equal(['noData']);
    });

    it('notifies of `noData` of a custom metric alike', () => {
      const { server, wake, states } = subscribed({
        condition: { queue: { value: 5, operand: 'greater' } },
        noData: 60,
      });
      const queue = (now: number) =>
        server.ask({ type: 'facts', now, measures: [{ queue: 1 }], source: undefined, tenant: tenantView() });
      queue(NOON);
      wake(back);
      wake(back + MINUTE);
      expect(states()).to.deep.equal(['noData']);
      // Another rule takes the window away and gives it back.
      server.ask({ type: 'unsubscribe', subscriptionId: 's1', now: back + MINUTE });
      expect(server.context.wakeAt).to.equal(undefined);
    });

    it('ends a mute after its length from then on', () => {
      const { server, fact, wake, mutedUntil } = subscribed({});
      server.ask({ type: 'mute', now: NOON, subscriptionId: 's1', until: NOON + 10 * MINUTE });
      wake(back);
      expect(mutedUntil(back)).to.equal(back + 10 * MINUTE);
      expect(server.context.wakeAt).to.equal(back + 10 * MINUTE);
      expect(fact(90, back + 10 * MINUTE - 1)).to.equal(0);
      expect(fact(90, back + 10 * MINUTE)).to.equal(1);
    });

    it('does not begin again a mute that was over', () => {
      const { server, fact, wake } = subscribed({});
      server.ask({ type: 'mute', now: NOON - 20 * SECOND, subscriptionId: 's1', until: NOON - SECOND });
      wake(NOON - SECOND);
      expect(fact(90, NOON - 20 * SECOND)).to.equal(1);
      expect(fact(90, back)).to.equal(1);
    });

    it('sends the next mail after MAIL_INTERVAL_S at most', () => {
      const { server, fact } = subscribed({ action: MAIL }, { mailIntervalMs: MINUTE });
      const mails = () => server.messages().filter(({ message }) => message.channel === 'email').length;
      fact(90, NOON);
      const counts = [0, 59, 60].map((s) => {
        fact(90, back + s * SECOND);
        return mails();
      });
      expect(counts).to.deep.equal([1, 1, 2]);
    });

    it('has pauses counted from then on', () => {
      const server = drive({ gapMs: MINUTE });
      const tenant = tenantView(5);
      server.measure({ cpu: 1, mem: 1 }, { now: NOON, tenant });
      server.measure({ cpu: 2 }, { now: back, tenant });
      server.measure({ cpu: 3 }, { now: back + MINUTE, tenant });
      expect(server.context.windows.tracked['mem']!.values).to.deep.equal([1]);
      server.measure({ cpu: 4 }, { now: back + MINUTE + 1, tenant });
      const { cpu, mem } = server.context.windows.tracked;
      expect([cpu!.values, mem!.values]).to.deep.equal([[1, 2, 3, 4], []]);
    });

    it('renews a lease no later than its length from then on', () => {
      const server = drive();
      server.addRule(ruleOf());
      const broker = { id: 'b1', expiresAt: NOON + 24 * HOUR, checkedAt: NOON };
      server.subscribe(subscriptionOf({ broker }));
      server.ask({ type: 'wake', now: back });
      expect(server.context.subscriptions[0]!.broker).to.deep.equal({
        id: 'b1',
        expiresAt: back + 24 * HOUR,
        checkedAt: back,
      });
      expect(server.context.wakeAt).to.equal(back + 50 * MINUTE);
    });

    it('looks for what an intent has left no longer than a minute from then on', () => {
      const server = drive();
      server.addRule(ruleOf());
      const wanted = { ruleId: 'r1', url: 'https://example.org/hook' };
      server.ask({ type: 'intend', mark: MARK, known: true, wanted, tenant: tenantView(), now: NOON });
      server.ask({ type: 'settle', mark: MARK, now: NOON });
      const retracted = (now: number) => server.ask({ type: 'retracted', mark: MARK, brokerIds: [], now });
      retracted(back);
      retracted(back + MINUTE - 1);
      expect(server.context.outbox).to.have.length(1);
      retracted(back + MINUTE);
      expect(server.context.outbox).to.deep.equal([]);
    });

    it('has nothing left to count anew after one event', () => {
      const { server, fact, wake } = subscribed({ for: 5, noData: 60, action: MAIL });
      server.ask({ type: 'mute', now: NOON, subscriptionId: 's1', until: NOON + 10 * MINUTE });
      fact(90, NOON);
      fact(90, NOON + 10 * SECOND);
      wake(back);
      const before = server.context;
      server.ask({ type: 'followed', mark: 'none', now: back });
      expect(server.context).to.equal(before);
    });
  });
}

describe('a server whose clock goes back by some ms', () => {
  it('changes nothing but what the event changes', () => {
    const { server, fact } = subscribed({ for: 60, condition: CPU });
    server.ask({ type: 'mute', now: NOON, subscriptionId: 's1', until: NOON + HOUR });
    fact(90, NOON);
    const { states, subscriptions, wakeAt } = server.context;
    fact(90, NOON - 900);
    expect(server.context).to.deep.include({ states, subscriptions, wakeAt });
  });
});

describe('a server that has planned nothing when the clock is set back', () => {
  it('counts from then on, although its next measurement comes later', async () => {
    const { scene, wanted } = await withRule(await policyScene({ fed: false }));
    try {
      await scene.policy.tenants.resize('acme', 1);
      await scene.policy.servers.changeRule('acme', 'web-1', wanted.ruleId, { for: 60, repeat: 0 });
      await scene.add(wanted);
      const fact = async () =>
        (await scene.policy.servers.facts('acme', 'web-1', { measures: [{ cpu: 90 }], source: undefined }))
          .fired;
      expect(await fact()).to.equal(0);
      await scene.outboxEmpty();
      const back = (scene.now -= HOUR);
      await scene.until(async () => {
        const current = stateFrom((await scene.server())!.states[0]);
        return current?.holdFrom === back;
      });
      expect((await scene.server())!.wakeAt).to.equal(undefined);
      scene.now = back + MINUTE;
      expect(await fact()).to.equal(1);
    } finally {
      await scene.close();
    }
  });
});
