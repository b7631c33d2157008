import { expect } from 'chai';
import fc from 'fast-check';
import type { SourceName } from '../../../src/policy/facts/facts.js';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import type { FactsReply } from '../../../src/policy/server/server-context.js';
import type { ServerSettings } from '../../../src/policy/server/take-facts.js';
import { TIMES_LIMIT } from '../../../src/policy/windows/counted-times.js';
import { windowOf } from '../../../src/policy/windows/window.js';
import { driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

/** Values with one time, µs after an hour before noon. */
interface Sent {
  readonly time: number;
  readonly measures: Measures;
}

const EARLIEST = (NOON - 3_600_000) * 1000;

/** A server to which a source sends values. Each event finds it as it was stored. */
function sourced({ size = 5, settings = {} }: { size?: number; settings?: Partial<ServerSettings> } = {}) {
  const server = driveServer(settings);
  return {
    server,
    /** Sends facts that arrive together. `origin` null: by operation 1. */
    send: (
      all: readonly Sent[],
      origin: SourceName | null = 'mqtt',
      now = NOON,
      windowSize = size,
    ): FactsReply =>
      server.ask({
        type: 'facts',
        now,
        measures: all.map(({ measures }) => measures),
        times: all.map(({ time, measures }) =>
          Object.fromEntries(Object.keys(measures).map((metric) => [metric, EARLIEST + time])),
        ),
        source: undefined,
        origin: origin ?? undefined,
        tenant: tenantView(windowSize),
      }) as FactsReply,
    valuesOf: (metric = 'cpu') => windowOf(server.context.windows, metric).values,
    counted: () => server.context.windows.counted,
  };
}

const cpu = (time: number, value = time % 100): Sent => ({ time, measures: { cpu: value } });

/** Returns the messages in an order in which none is behind more than `most` others that were sent after it. */
function reordered<T>(messages: readonly T[], delays: readonly number[]): readonly T[] {
  return messages
    .map((message, i) => ({ message, place: i + delays[i % delays.length]! + i / 1e6 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ message }) => message);
}

/** The sources whose values come in any order from the first one on. */
const UNORDERED = ['mqtt', 'otlp'] as const;

describe('values that come after later ones', () => {
  it('count once, whatever the order, the repetitions and the commits', () => {
    const METRICS = [['cpu'], ['mem'], ['cpu', 'mem'], ['queue'], ['queue', 'cpu']] as const;
    const message = fc.record({
      step: fc.integer({ min: 0, max: 3 }),
      metrics: fc.constantFrom(...METRICS),
      value: fc.integer({ min: 0, max: 100 }),
    });
    const story = fc.record({
      origins: fc.constantFrom<readonly SourceName[]>(['mqtt'], ['otlp'], UNORDERED),
      messages: fc.array(message, { maxLength: 120 }),
      delays: fc.array(fc.integer({ min: 0, max: TIMES_LIMIT / 2 }), { minLength: 1, maxLength: 7 }),
      repetitions: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
      batches: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
      size: fc.constantFrom(1, 3, 5, 70),
    });
    fc.assert(
      fc.property(story, ({ origins, messages, delays, repetitions, batches, size }) => {
        let time = 0;
        const sent = messages.map(({ step, metrics, value }): Sent => {
          time += step;
          return { time, measures: Object.fromEntries(metrics.map((metric) => [metric, value])) };
        });
        const came = [...reordered(sent, delays)];
        // A broker repeats any of the last messages.
        for (const [i, back] of repetitions.entries()) {
          const at = Math.min(came.length, 3 * i + 2);
          if (at > 0) came.splice(at, 0, came[Math.max(0, at - back)]!);
        }
        const one = sourced({ size });
        const first = new Map<string, number>();
        let facts = 0;
        for (const { time: at, measures } of came) {
          const fresh = Object.entries(measures).filter(([metric]) => !first.has(`${metric} ${at}`));
          for (const [metric, value] of fresh) first.set(`${metric} ${at}`, value!);
          if (fresh.length > 0) facts += 1;
        }
        for (let from = 0, batch = 0; from < came.length; batch += 1) {
          const length = batches[batch % batches.length]!;
          one.send(came.slice(from, from + length), origins[batch % origins.length]);
          from += length;
        }
        expect(one.server.context.factId, 'facts').to.equal(facts);
        for (const metric of ['cpu', 'mem']) {
          const inOrder = [...first]
            .map(([key, value]) => [...key.split(' '), value] as [string, string, number])
            .filter(([name]) => name === metric)
            .toSorted(([, a], [, b]) => Number(a) - Number(b))
            .map(([, , value]) => value);
          expect(one.valuesOf(metric), metric).to.deep.equal(inOrder.slice(-size));
        }
      }),
      { numRuns: 40 },
    );
  });

  it('stay out of a window that later values have left: after a pause, with another size, and with other rules', () => {
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.record({ time: fc.integer({ min: 0, max: 60 }) }) },
      fc.record({ pauseMs: fc.integer({ min: 0, max: 2_000 }) }),
      fc.record({ size: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ rule: fc.constantFrom('cpu', 'mem') }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { server, send, valuesOf } = sourced({ settings: { gapMs: 1_000 } });
        const different = new Set<number>();
        let now = NOON;
        let size = 5;
        for (const one of steps) {
          if ('pauseMs' in one) now += one.pauseMs;
          if ('size' in one) ({ size } = one);
          if ('rule' in one) {
            server.addRule(ruleOf({ condition: { [one.rule]: { value: 5, operand: 'greater' } } }));
            server.subscribe(subscriptionOf(), { tenant: tenantView(size) });
          }
          if (!('time' in one)) continue;
          send([cpu(one.time)], 'otlp', now, size);
          different.add(one.time);
          const values = valuesOf();
          const inOrder = [...different].toSorted((a, b) => a - b);
          expect(values).to.deep.equal(inOrder.slice(inOrder.length - values.length));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('stay out of a window that a pause emptied if a value that it removed is later', () => {
    const { send, valuesOf } = sourced({ settings: { gapMs: 1_000 } });
    send([cpu(10), cpu(40)]);
    expect(send([cpu(20)], 'mqtt', NOON + 2_000).counted).to.equal(true);
    expect(valuesOf()).to.deep.equal([]);
    send([cpu(70), cpu(30), cpu(60), cpu(35), cpu(50)], 'mqtt', NOON + 2_500);
    expect(valuesOf()).to.deep.equal([50, 60, 70]);
  });

  it('count at most once, however far they are behind', () => {
    const time = fc.integer({ min: 0, max: 400 });
    fc.assert(
      fc.property(fc.array(fc.array(time, { minLength: 1, maxLength: 40 }), { maxLength: 40 }), (all) => {
        const { server, send } = sourced();
        for (const times of all) send(times.map((one) => cpu(one)));
        const different = new Set(all.flat());
        expect(server.context.factId).to.be.at.most(different.size);
        if (different.size <= TIMES_LIMIT) expect(server.context.factId).to.equal(different.size);
      }),
      { numRuns: 40 },
    );
  });

  it('have their place in the window, and evaluate rules as every value does', () => {
    const { server, send, valuesOf } = sourced({ size: 3 });
    server.addRule(ruleOf({ condition: { cpu: { value: 80, operand: 'greater', aggregate: 'last' } } }));
    server.subscribe(subscriptionOf());
    send([cpu(10, 10), cpu(30, 30), cpu(40, 40)]);
    expect(send([cpu(20, 90)])).to.deep.include({ counted: true, evaluated: 1, fired: 0 });
    expect(valuesOf()).to.deep.equal([90, 30, 40]);
    expect(send([cpu(5, 95)])).to.deep.include({ counted: true, factId: 5, evaluated: 1, fired: 0 });
    expect(valuesOf()).to.deep.equal([90, 30, 40]);
    expect(send([cpu(50, 85)])).to.deep.include({ counted: true, fired: 1 });
  });

  it('are told apart: counted before, or too old to know', () => {
    const { send } = sourced();
    const later = Array.from({ length: TIMES_LIMIT }, (_, i) => cpu(100 + i));
    send([cpu(10), cpu(20), ...later]);
    expect(send([cpu(100)]).ignored).to.deep.equal([{ metric: 'cpu', why: 'repeated', count: 1 }]);
    expect(send([cpu(15), cpu(20)]).ignored).to.deep.equal([{ metric: 'cpu', why: 'older', count: 2 }]);
  });

  it('do not count where they may have counted before the times were remembered', () => {
    const { server, send } = sourced();
    send([cpu(10), cpu(20)], null);
    expect(server.context.windows.counted).to.equal(undefined);
    send([cpu(30)]);
    expect(send([cpu(10), cpu(20), cpu(25)])).to.deep.include({
      leftOut: 2,
      ignored: [{ metric: 'cpu', why: 'older', count: 2 }],
    });
    // From now on every time is remembered, whatever it comes from.
    send([cpu(50)], null);
    send([cpu(60)]);
    expect(send([cpu(50)]).ignored).to.deep.equal([{ metric: 'cpu', why: 'repeated', count: 1 }]);
    expect(send([cpu(55)]).counted).to.equal(true);
  });

  it('are left out without a source that sends by itself', () => {
    const { server, send } = sourced();
    send([cpu(10), cpu(30)], null);
    expect(send([cpu(20)], null).ignored).to.deep.equal([{ metric: 'cpu', why: 'older', count: 1 }]);
    expect(server.context.windows.counted).to.equal(undefined);
  });

  it('of remote write are compared with few times, and with many once one has come', () => {
    const { send, counted } = sourced();
    const timesOf = (): number => counted()!.byMetrics['cpu']!.length / 11;
    const write = (...times: readonly number[]) =>
      send(
        times.map((time) => cpu(time)),
        'remote-write',
      );
    const range = (from: number, count: number): readonly number[] =>
      Array.from({ length: count }, (_, i) => from + 10 * i);
    write(...range(1_000, 40));
    expect(timesOf()).to.equal(16);
    // A request that is repeated is no sign of a second sender.
    expect(write(...range(1_240, 17)).ignored).to.deep.equal([{ metric: 'cpu', why: 'repeated', count: 16 }]);
    write(...range(1_410, 19));
    expect(timesOf()).to.equal(16);
    expect(write(1_585, 1_515).counted).to.equal(true);
    write(...range(1_600, 200));
    expect(timesOf()).to.equal(TIMES_LIMIT);
    expect(write(...range(2_325, 120)).ignored).to.equal(undefined);
  });

  it('of remote write that are too old to know are a sign of a second sender too', () => {
    const { send, counted } = sourced();
    const write = (...times: readonly number[]) =>
      send(
        times.map((time) => cpu(time)),
        'remote-write',
      );
    write(...Array.from({ length: 40 }, (_, i) => 1_000 + i));
    // Also if a request has no other values.
    expect(write(500).counted).to.equal(false);
    write(...Array.from({ length: 40 }, (_, i) => 3_000 + i));
    expect(counted()!.byMetrics['cpu']!.length / 11).to.be.above(40);
  });

  it('of remote write with many metrics are compared with fewer times, 1 KiB of them', () => {
    const { send, counted } = sourced();
    const wide = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`metric_of_host_${n + 10}`, 1]));
    const write = (...times: readonly number[]) =>
      send(
        times.map((time) => ({ time, measures: wide })),
        'remote-write',
      );
    write(...Array.from({ length: 40 }, (_, i) => 1_000 + i));
    const [metrics, times] = Object.entries(counted()!.byMetrics)[0]!;
    expect(metrics).to.have.length(50 * 17 + 49);
    expect(times).to.have.length(11 * Math.floor((1_024 - metrics.length) / 11));
  });

  it('count also after facts without times, and after a change of the rules', () => {
    const { server, send, valuesOf } = sourced();
    send([cpu(10, 1), cpu(30, 3)]);
    server.measure({ mem: 7 }, { tenant: tenantView(5) });
    server.addRule(ruleOf({ condition: { queue: { value: 5, operand: 'greater' } } }));
    server.subscribe(subscriptionOf(), { tenant: tenantView(5) });
    send([{ time: 40, measures: { queue: 1 } }]);
    server.ask({ type: 'removeRule', ruleId: 'r1', now: NOON });
    server.ask({ type: 'rulesChanged', tenant: tenantView(5), now: NOON });
    expect(send([cpu(20, 2)]).counted).to.equal(true);
    expect(send([cpu(10, 1), cpu(20, 2), cpu(30, 3)]).counted).to.equal(false);
    expect(valuesOf()).to.deep.equal([1, 2, 3]);
  });

  it('count once also where a message has more metrics than a server stores arrivals of', () => {
    const { server, send, valuesOf } = sourced();
    const wide = (time: number): Sent => {
      const names = Array.from({ length: 600 }, (_, n) => `m${n}`);
      return { time, measures: Object.fromEntries(names.map((name) => [name, time])) };
    };
    send([wide(10), wide(30)]);
    expect(send([wide(30), wide(10)]).counted).to.equal(false);
    server.addRule(ruleOf({ condition: { m0: { value: 5, operand: 'greater' } } }));
    server.subscribe(subscriptionOf(), { tenant: tenantView(5) });
    send([wide(20), wide(10), wide(40)]);
    send([wide(30), wide(20)]);
    expect([server.context.factId, valuesOf('m0')]).to.deep.equal([4, [40]]);
    // A metric that the server does not know may have counted with a time that is forgotten.
    send(Array.from({ length: TIMES_LIMIT }, (_, i) => cpu(100 + i)));
    expect(send([{ time: 40, measures: { m1: 1 } }]).counted).to.equal(false);
    expect(send([{ time: 300, measures: { m1: 1 } }]).counted).to.equal(true);
  });

  it('of one time count in any number of requests, whatever is forgotten', () => {
    const { send, counted } = sourced();
    const some = (name: string): Sent => {
      const names = Array.from({ length: 1_000 }, (_, n) => `${name}_with_a_long_name_${n}`);
      return { time: 20, measures: Object.fromEntries(names.map((one) => [one, 1])) };
    };
    send([cpu(10)]);
    for (const [i, name] of ['a', 'b', 'c', 'd'].entries())
      expect(send([some(name)], i % 2 === 0 ? 'remote-write' : 'otlp')).to.not.have.property('ignored');
    expect(counted()).to.deep.equal({ forgotten: EARLIEST + 20, byMetrics: {}, unordered: true });
  });

  it('count at most once also in a year beyond 6140, if every time is trusted', () => {
    const { send, counted } = sourced({ settings: { skewMs: Infinity } });
    const last = Date.parse('9999-12-31T23:59:58Z') * 1000 - EARLIEST;
    const second = 1_000_000;
    for (const time of [0, last, last + second]) expect(send([cpu(time)]).counted).to.equal(true);
    for (const time of [0, last, last + second, last - second])
      expect(send([cpu(time)]).counted, String(time)).to.equal(false);
    expect(counted()!.byMetrics['cpu']).to.have.length(11);
  });

  it('count again in their order after the clock was set back', () => {
    const { send, counted } = sourced({ settings: { skewMs: 1_000 } });
    const hour = 3_600_000_000;
    send([cpu(10), cpu(10 * hour), cpu(11 * hour)], 'mqtt', NOON + 36_000_000);
    send([cpu(20)]);
    expect(counted()!.byMetrics['cpu']).to.have.length(11);
    send([cpu(40), cpu(30)]);
    expect(send([cpu(30), cpu(40)]).counted).to.equal(false);
  });

  it('are remembered in at most 16 KiB', () => {
    const { send, counted } = sourced();
    for (let i = 0; i < 40; i += 1) {
      const metrics = Array.from({ length: 200 }, (_, n) => `m${i % 20}_${n}`);
      send([{ time: i, measures: Object.fromEntries(metrics.map((metric) => [metric, i])) }]);
      expect(JSON.stringify(counted()).length).to.be.at.most(17 * 1024);
    }
    const name = (n: number): string => `${'x'.repeat(70)}${n}`;
    const wide = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [name(n), 1]));
    send([{ time: 300, measures: wide }]);
    expect(counted()).to.deep.equal({ forgotten: EARLIEST + 300, byMetrics: {}, unordered: true });
    expect(send([{ time: 300, measures: wide }]).counted).to.equal(false);
    expect(send([{ time: 301, measures: wide }]).counted).to.equal(true);
  });
});
