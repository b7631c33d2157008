import { expect } from 'chai';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import type { FactsReply } from '../../../src/policy/server/server-context.js';
import type { ServerSettings } from '../../../src/policy/server/take-facts.js';
import { driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

const MINUTE = 60_000;
const YEAR_2106 = Date.UTC(2106, 0, 1) * 1000;

/** A server that is notified of values with times. Times are in µs after noon. */
function notified(settings: Partial<ServerSettings> = {}, size = 5) {
  const server = driveServer(settings);
  const tenant = tenantView(size);
  const ask = (measures: Measures, times: Measures | undefined, now: number): FactsReply =>
    server.ask({
      type: 'facts',
      now,
      measures: [measures],
      ...(times === undefined ? {} : { times: [times] }),
      source: undefined,
      tenant,
    }) as FactsReply;
  return {
    server,
    notify: (measures: Measures, times: Measures, now = NOON) => ask(measures, shifted(times), now),
    notifyAt: ask,
  };
}

const shifted = (times: Measures): Measures =>
  Object.fromEntries(Object.entries(times).map(([metric, time]) => [metric, NOON * 1000 + time!]));

const repeated = (metric: string, count = 1) => ({ metric, why: 'repeated', count });

describe('values that come with times', () => {
  it('are compared with the time of the last value counted, also after an older value came with another metric', () => {
    const { server, notify } = notified();
    notify({ cpu: 97 }, { cpu: 10 });
    expect(notify({ cpu: 50, mem: 1 }, { cpu: 5, mem: 20 })).to.deep.include({
      counted: true,
      ignored: [{ metric: 'cpu', why: 'older', count: 1 }],
    });
    expect(notify({ cpu: 97 }, { cpu: 10 })).to.deep.include({ counted: false, ignored: [repeated('cpu')] });
    notify({ cpu: 98, mem: 1 }, { cpu: 11, mem: 20 });
    const { cpu, mem } = server.context.windows.tracked;
    expect([cpu!.values, cpu!.sourceTime]).to.deep.equal([[97, 98], NOON * 1000 + 11]);
    expect([mem!.values, mem!.sourceTime]).to.deep.equal([[1], NOON * 1000 + 20]);
  });

  it('count once where no subscription needs their metric, and no second time for one that comes', () => {
    const { server, notify } = notified({}, 1);
    const queue = (value: number, time: number): FactsReply => notify({ queue: value }, { queue: time });
    expect(queue(9, 10)).to.include({ counted: true, factId: 1 });
    expect(queue(9, 10)).to.deep.include({ counted: false, factId: 1, ignored: [repeated('queue')] });
    server.addRule(ruleOf({ condition: { queue: { value: 5, operand: 'greater' } } }));
    server.subscribe({ id: 's1', ruleId: 'r1', url: 'https://example.org/hook', at: NOON });
    expect(queue(9, 10)).to.include({ counted: false, fired: 0 });
    expect(queue(9, 11)).to.include({ counted: true, fired: 1 });
    server.ask({ type: 'unsubscribe', subscriptionId: 's1', now: NOON });
    server.measure({ cpu: 1 });
    expect(queue(9, 11)).to.include({ counted: false });
  });
});

for (const metric of ['cpu', 'queue']) {
  describe(`a time of ${metric} in the future`, () => {
    it('counts once, and holds back no later value', () => {
      const { server, notify, notifyAt } = notified();
      const future = () => notifyAt({ [metric]: 1 }, { [metric]: YEAR_2106 }, NOON);
      notify({ [metric]: 1 }, { [metric]: 10 });
      expect(future().counted).to.equal(true);
      expect(future()).to.deep.include({ counted: false, ignored: [repeated(metric)] });
      expect(notify({ [metric]: 1 }, { [metric]: 10 })).to.deep.include({ ignored: [repeated(metric)] });
      expect(notify({ [metric]: 1 }, { [metric]: 9 }).ignored).to.deep.equal([
        { metric, why: 'older', count: 1 },
      ]);
      expect(notify({ [metric]: 2 }, { [metric]: 11 }).counted).to.equal(true);
      expect(future().counted).to.equal(false);
      expect(notifyAt({ [metric]: 3 }, { [metric]: YEAR_2106 + 1 }, NOON).counted).to.equal(true);
      expect(notify({ [metric]: 3 }, { [metric]: 12 }).counted).to.equal(true);
      expect(server.context.factId).to.equal(5);
    });

    it('is believed up to the skew, and holds back what is older', () => {
      const { notify } = notified({ skewMs: 2 });
      expect(notify({ [metric]: 1 }, { [metric]: 2_000 }).counted).to.equal(true);
      expect(notify({ [metric]: 1 }, { [metric]: 1_999 }).counted).to.equal(false);
      expect(notify({ [metric]: 1 }, { [metric]: 3_000 }).counted).to.equal(true);
      expect(notify({ [metric]: 1 }, { [metric]: 2_001 }, NOON + 1).counted).to.equal(true);
    });

    it('counts no second time once the clock has come to it', () => {
      const { notify } = notified({ skewMs: 1_000 });
      expect(notify({ [metric]: 1 }, { [metric]: MINUTE * 1_000 }).counted).to.equal(true);
      expect(notify({ [metric]: 1 }, { [metric]: MINUTE * 1_000 }, NOON + MINUTE).counted).to.equal(false);
      expect(notify({ [metric]: 1 }, { [metric]: MINUTE * 1_000 + 1 }, NOON + MINUTE).counted).to.equal(true);
    });

    it('is believed without a limit of the skew', () => {
      const { notifyAt } = notified({ skewMs: Infinity });
      notifyAt({ [metric]: 1 }, { [metric]: YEAR_2106 }, NOON);
      const later = notifyAt({ [metric]: 1 }, { [metric]: NOON * 1000 }, NOON);
      expect(later.ignored).to.deep.equal([{ metric, why: 'older', count: 1 }]);
    });

    it('that was believed, because the clock was ahead then, holds back nothing but itself', () => {
      const { notifyAt } = notified();
      notifyAt({ [metric]: 1 }, { [metric]: YEAR_2106 }, YEAR_2106 / 1000);
      const counts = (time: number): boolean => notifyAt({ [metric]: 1 }, { [metric]: time }, NOON).counted;
      const noon = NOON * 1000;
      expect([YEAR_2106, noon, noon, noon - 1, YEAR_2106, noon + 1].map(counts)).to.deep.equal([
        false,
        true,
        false,
        false,
        false,
        true,
      ]);
    });
  });
}

describe('the values that were left out', () => {
  const ignoredOf = (server: { readonly context: { readonly ignored: unknown } }) => server.context.ignored;

  it('are counted by metric until one counts', () => {
    const { server, notify } = notified();
    notify({ cpu: 1, mem: 1 }, { cpu: 10, mem: 10 });
    expect(ignoredOf(server)).to.equal(undefined);
    notify({ cpu: 1, mem: 1 }, { cpu: 10, mem: 9 });
    notify({ cpu: 1, mem: 1 }, { cpu: 9, mem: 10 }, NOON + 5);
    const mem = { count: 2, at: NOON + 5, why: 'repeated' };
    expect(ignoredOf(server)).to.deep.equal({ cpu: { count: 2, at: NOON + 5, why: 'older' }, mem });
    notify({ cpu: 2, mem: 1 }, { cpu: 11, mem: 10 }, NOON + 6);
    expect(ignoredOf(server)).to.deep.equal({ mem: { ...mem, count: 3, at: NOON + 6 } });
    server.measure({ mem: 7 });
    expect(ignoredOf(server)).to.equal(undefined);
  });

  it('are counted in the order of the elements of a request', () => {
    const { server } = notified();
    const reply = server.ask({
      type: 'facts',
      now: NOON,
      measures: [1, 2, 3, 4].map((cpu) => ({ cpu })),
      times: [1, 1, 5, 5].map((cpu) => ({ cpu })),
      source: undefined,
      tenant: tenantView(),
    });
    expect(reply).to.deep.include({ counted: true, leftOut: 2, ignored: [repeated('cpu', 2)] });
    expect(ignoredOf(server)).to.deep.equal({ cpu: { count: 1, at: NOON, why: 'repeated' } });
  });

  it('may come from a subscription that does not feed the server', () => {
    const { server } = notified();
    server.addRule(ruleOf());
    server.subscribe(subscriptionOf({ broker: { id: 'b1' } }));
    server.subscribe(subscriptionOf({ id: 's2', url: 'https://example.org/2', broker: { id: 'b2' } }));
    server.measure({ cpu: 1 }, { source: 'b1' });
    server.measure([{ cpu: 1 }, { cpu: 1, mem: 2 }], { source: 'b2' });
    const why = 'other subscription';
    expect(ignoredOf(server)).to.deep.equal({
      cpu: { count: 2, at: NOON, why },
      mem: { count: 1, at: NOON, why },
    });
  });

  it('are remembered of 256 metrics, those that came last', () => {
    const { server, notify } = notified();
    const metrics = Array.from({ length: 300 }, (_, i) => `m${i}`);
    const notifyAll = (some: readonly string[]): FactsReply =>
      notify(
        Object.fromEntries(some.map((metric) => [metric, 1])),
        Object.fromEntries(some.map((metric) => [metric, 1])),
      );
    for (const some of [metrics.slice(0, 150), metrics.slice(150)]) {
      notifyAll(some);
      notifyAll(some);
    }
    expect(Object.keys(server.context.ignored!)).to.deep.equal(metrics.slice(-256));
  });
});
