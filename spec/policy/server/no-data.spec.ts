import { expect } from 'chai';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import { driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

const tenant = tenantView();
const rule = ruleOf({
  condition: { cpu: { value: 80, operand: 'greater' }, mem: { value: 80, operand: 'greater' } },
  noData: 10,
});
const seconds = (count: number): number => NOON + count * 1000;

function subscribed() {
  const server = driveServer();
  server.addRule(rule);
  server.subscribe(subscriptionOf(), { now: NOON });
  const timeOut = (now: number): void => {
    server.ask({ type: 'wake', now });
    server.ask({ type: 'noDataTimeout', now, tenant });
  };
  const change = (condition: typeof rule.condition, now: number) =>
    server.ask({ type: 'changeRule', now, ruleId: 'r1', change: { condition }, tenant });
  const notified = () => server.bodies().map(({ state, since, factId }) => ({ state, since, factId }));
  return { server, timeOut, change, notified };
}

describe('a subscription without measurements', () => {
  it('notifies once, when noData is over: from its begin if none ever came', () => {
    const { server, timeOut, notified } = subscribed();
    expect(server.context.wakeAt).to.equal(seconds(10));
    timeOut(seconds(10) - 1);
    expect(notified()).to.deep.equal([]);
    expect(server.context.wakeAt).to.equal(seconds(10));
    timeOut(seconds(10));
    timeOut(seconds(60));
    expect(notified()).to.deep.equal([{ state: 'noData', since: null, factId: null }]);
    expect(server.context.wakeAt).to.equal(undefined);
  });

  it('notifies again after a measurement of its metrics, not after others', () => {
    const { server, timeOut, notified } = subscribed();
    timeOut(seconds(10));
    server.measure({ net: 1 }, { now: seconds(11) });
    timeOut(seconds(30));
    expect(notified()).to.have.length(1);
    server.measure({ cpu: 1 }, { now: seconds(31) });
    expect(server.context.wakeAt).to.equal(seconds(41));
    timeOut(seconds(41));
    expect(notified()[1]).to.deep.equal({
      state: 'noData',
      since: new Date(seconds(31)).toISOString(),
      factId: null,
    });
  });

  it('notifies before the first measurement that comes later than it is due', () => {
    const { server, notified } = subscribed();
    server.measure({ cpu: 90, mem: 90 }, { now: seconds(12) });
    expect(notified().map(({ state }) => state)).to.deep.equal(['noData', 'firing']);
  });

  it('notifies again if a measurement came while its condition was another one', () => {
    const { server, timeOut, change, notified } = subscribed();
    timeOut(seconds(10));
    change({ ...rule.condition, hdd: { value: 1, operand: 'less' } }, seconds(11));
    server.measure({ cpu: 1 }, { now: seconds(12) });
    change({ net: { value: 1, operand: 'less' } }, seconds(13));
    timeOut(seconds(14));
    expect(notified()).to.deep.equal([
      { state: 'noData', since: null, factId: null },
      { state: 'noData', since: null, factId: null },
    ]);
  });

  it('counts from the last measurement of a metric that its condition names later', () => {
    const { server, timeOut, change, notified } = subscribed();
    const measure = (measures: Measures, now: number): void => {
      server.ask({ type: 'facts', now, measures: [measures], source: undefined, tenant });
    };
    for (let second = 1; second <= 12; second += 1) measure({ cpu: 1, temp: 20 }, seconds(second));
    change({ temp: { value: 50, operand: 'greater' } }, seconds(13));
    expect(server.context.wakeAt).to.equal(seconds(22));
    timeOut(seconds(22) - 1);
    expect(notified()).to.deep.equal([]);
    timeOut(seconds(22));
    expect(notified()).to.deep.equal([
      { state: 'noData', since: new Date(seconds(12)).toISOString(), factId: null },
    ]);
    // Its window goes when no condition names it; what came then is remembered.
    measure({ cpu: 1, temp: 20 }, seconds(30));
    change({ cpu: { value: 50, operand: 'greater' } }, seconds(31));
    measure({ cpu: 1 }, seconds(32));
    change({ temp: { value: 50, operand: 'greater' } }, seconds(33));
    expect(server.context.wakeAt).to.equal(seconds(40));
    timeOut(seconds(33));
    expect(notified()).to.have.length(1);
  });

  it('notifies at once of a metric that never came since the subscription, if its condition names it late', () => {
    const { server, timeOut, change, notified } = subscribed();
    server.measure({ cpu: 1 }, { now: seconds(9) });
    change({ load: { value: 50, operand: 'greater' } }, seconds(12));
    expect(server.context.wakeAt).to.equal(seconds(10));
    timeOut(seconds(12));
    expect(notified()).to.deep.equal([{ state: 'noData', since: null, factId: null }]);
  });

  it('counts right also if a measurement, or the time itself, knows of the change of a generic rule first', () => {
    const temp = { temp: { value: 50, operand: 'greater' } } as const;
    const before = tenantView(1, [rule]);
    const after = tenantView(1, [{ ...rule, condition: temp }]);
    for (const first of ['facts', 'noDataTimeout'] as const) {
      const server = driveServer();
      server.subscribe(subscriptionOf(), { now: NOON, tenant: before });
      const measures = [{ cpu: 1, temp: 5 }];
      server.ask({ type: 'facts', now: seconds(9), measures, source: undefined, tenant: before });
      if (first === 'facts') server.measure({ net: 1 }, { now: seconds(18), tenant: after });
      else server.ask({ type: 'noDataTimeout', now: seconds(18), tenant: after });
      server.ask({ type: 'rulesChanged', now: seconds(18), tenant: after });
      expect(server.bodies()).to.deep.equal([]);
      server.ask({ type: 'noDataTimeout', now: seconds(19), tenant: after });
      expect(server.bodies().map(({ since }) => since)).to.deep.equal([new Date(seconds(9)).toISOString()]);
    }
  });

  it('notifies of as many at once as fit, the others a second later, each once', () => {
    const server = driveServer({ outboxLimit: 1_000 });
    const body = 'x'.repeat(65_536);
    const action = { actionName: 'notify-email', email: 'ops@example.org', body } as const;
    server.addRule(ruleOf({ noData: 10, action }));
    const ids = Array.from({ length: 200 }, (_, i) => `s${i}`);
    for (const id of ids)
      server.subscribe(subscriptionOf({ id, url: `https://example.org/${id}` }), { now: NOON });
    const notified: string[] = [];
    let now = seconds(10);
    for (let round = 0; round < 3; round += 1) {
      server.ask({ type: 'wake', now });
      server.ask({ type: 'noDataTimeout', now, tenant });
      if (round === 0) {
        // A notification of the time before a measurement comes before it: the measurement waits.
        expect(() => server.measure({ cpu: 1 }, { now })).to.throw('try again in a second');
      }
      const messages = server.messages();
      notified.push(...messages.map(({ subscriptionId }) => subscriptionId));
      server.ask({ type: 'dispatched', now, entryIds: messages.map(({ id }) => id) });
      now = server.context.wakeAt ?? now;
    }
    expect(notified.toSorted()).to.deep.equal([...ids, ...ids].toSorted());
    expect(now).to.equal(seconds(12));
    expect(server.context.noDataAt).to.equal(undefined);
    expect(server.measure({ cpu: 1 }, { now: seconds(15) }).fired).to.equal(0);
  });
});
