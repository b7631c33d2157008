import { expect } from 'chai';
import fc from 'fast-check';
import { resized } from '../../src/policy/window-size.js';
import type { TenantView } from '../../src/policy/server-context.js';
import { driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';
import type { DrivenServer } from './driven-server.js';

const GAP = 300_000;

/** A server that is watched for more than 80 % cpu. */
function watchedServer(settings: Parameters<typeof driveServer>[0] = {}): DrivenServer {
  const server = driveServer(settings);
  server.addRule(ruleOf());
  server.subscribe(subscriptionOf());
  return server;
}

describe('measurements of a server', () => {
  it('are numbered from 1 without a gap, the answer bearing the number of the last', () => {
    const server = driveServer();
    expect(server.measure({ cpu: 1 })).to.deep.equal({ factId: 1, counted: true, fired: 0 });
    expect(server.measure([{ cpu: 1 }, { mem: 2 }, { hdd: 3 }]).factId).to.equal(4);
    expect(server.measure({ net: 1 }).factId).to.equal(5);
    expect(server.context.factId).to.equal(5);
  });

  it('that come together are applied in order, each evaluated by itself', () => {
    const server = watchedServer();
    expect(server.measure([{ cpu: 90 }, { cpu: 70 }, { cpu: 95 }, { mem: 99 }]).fired).to.equal(2);
    expect(server.bodies().map(({ factId, measures }) => [factId, measures])).to.deep.equal([
      [1, { cpu: 90 }],
      [3, { cpu: 95 }],
    ]);
    expect(server.context.windows.cpu.values).to.deep.equal([95]);
  });

  it('fill the windows of a server that nobody watches', () => {
    const server = driveServer();
    const tenant = tenantView(3);
    server.measure([{ cpu: 90 }, { cpu: 91 }, { cpu: 92 }], { tenant });
    server.addRule(ruleOf());
    server.subscribe(subscriptionOf(), { tenant });
    expect(server.state).to.equal('watching');
    expect(server.measure({ cpu: 93 }, { tenant }).fired).to.equal(1);
    expect(server.bodies()[0]!['measures']).to.deep.equal({ cpu: 92 });
  });
});

describe('an evaluation', () => {
  it('uses the mean of the window, not rounded', () => {
    const server = watchedServer();
    const tenant = tenantView(3);
    server.measure([{ cpu: 80 }, { cpu: 80 }, { cpu: 81 }], { tenant });
    expect(server.bodies()[0]!['measures']).to.deep.equal({ cpu: 241 / 3 });
  });

  it('waits until the window of the condition is full', () => {
    const server = watchedServer();
    const tenant = tenantView(3);
    expect(server.measure({ cpu: 100 }, { tenant }).fired).to.equal(0);
    expect(server.measure({ cpu: 100 }, { tenant }).fired).to.equal(0);
    expect(server.measure({ cpu: 100 }, { tenant }).fired).to.equal(1);
  });

  it('waits until the windows of all metrics of the condition are full', () => {
    const server = driveServer();
    const tenant = tenantView(2);
    const statement = { value: 10, operand: 'greater' } as const;
    server.addRule(ruleOf({ condition: { cpu: statement, mem: statement } }));
    server.subscribe(subscriptionOf());
    server.measure([{ cpu: 50 }, { cpu: 50 }, { mem: 50 }], { tenant });
    expect(server.messages()).to.be.empty;
    expect(server.measure({ mem: 50 }, { tenant }).fired).to.equal(1);
    expect(server.bodies()[0]!['measures']).to.deep.equal({ cpu: 50, mem: 50 });
  });

  it('happens only for a measurement that carries a metric of the condition', () => {
    const server = watchedServer();
    expect(server.measure({ cpu: 90 }).fired).to.equal(1);
    expect(server.measure({ mem: 90, hdd: 90, net: 90 }).fired).to.equal(0);
    expect(server.measure({ net: 90, cpu: 90 }).fired).to.equal(1);
  });

  it('takes the metrics that a measurement does not carry from their windows', () => {
    const server = driveServer();
    const condition = {
      cpu: { value: 80, operand: 'greater' },
      mem: { value: 20, operand: 'less' },
    } as const;
    server.addRule(ruleOf({ condition }));
    server.subscribe(subscriptionOf());
    server.measure({ cpu: 90, mem: 10 });
    expect(server.measure({ mem: 15 }).fired).to.equal(1);
    expect(server.bodies()[1]!['measures']).to.deep.equal({ cpu: 90, mem: 15 });
    expect(server.measure({ mem: 20 }).fired).to.equal(0);
    expect(server.measure({ cpu: 90 }).fired).to.equal(0);
  });

  it('fires again at every measurement for which the condition holds', () => {
    const server = watchedServer();
    for (const cpu of [90, 90, 90, 80, 90]) server.measure({ cpu });
    expect(server.bodies().map(({ factId }) => factId)).to.deep.equal([1, 2, 3, 5]);
  });

  it('concerns only rules that have a subscription, once for each', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    server.addRule(ruleOf({ ruleId: 'r2' }));
    server.subscribe(subscriptionOf({ id: 's1', url: 'https://example.org/1' }));
    server.subscribe(subscriptionOf({ id: 's2', url: 'https://example.org/2' }));
    expect(server.measure({ cpu: 90 }).fired).to.equal(2);
    expect(server.bodies().map(({ ruleId, subscriptionId }) => [ruleId, subscriptionId])).to.deep.equal([
      ['r1', 's1'],
      ['r1', 's2'],
    ]);
  });

  it('uses the rule as it is now', () => {
    const server = watchedServer();
    server.measure({ cpu: 90 });
    const condition = { cpu: { value: 95, operand: 'greater' } } as const;
    server.tell({ type: 'changeRule', now: NOON, ruleId: 'r1', change: { condition } });
    expect(server.measure({ cpu: 90 }).fired).to.equal(0);
    expect(server.measure({ cpu: 96 }).fired).to.equal(1);
  });

  it('uses a generic rule as its tenant has it now, and none that is gone', () => {
    const server = driveServer();
    const generic = (value: number): TenantView =>
      tenantView(1, [ruleOf({ ruleId: 'g1', condition: { cpu: { value, operand: 'greater' } } })]);
    server.subscribe(subscriptionOf({ ruleId: 'g1' }), { tenant: generic(80) });
    expect(server.measure({ cpu: 90 }, { tenant: generic(80) }).fired).to.equal(1);
    expect(server.measure({ cpu: 90 }, { tenant: generic(95) }).fired).to.equal(0);
    expect(server.measure({ cpu: 90 }, { tenant: generic(85) }).fired).to.equal(1);
    expect(server.measure({ cpu: 90 }, { tenant: tenantView() }).fired).to.equal(0);
  });

  it('of a steady series compares the value itself, however long the window', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        (value, size) => {
          const server = driveServer();
          const tenant = tenantView(size);
          server.addRule(ruleOf({ condition: { cpu: { value: value + 0, operand: 'greater' } } }));
          server.addRule(ruleOf({ ruleId: 'r2', condition: { cpu: { value: value + 0, operand: 'less equal' } } }));
          server.subscribe(subscriptionOf());
          server.subscribe(subscriptionOf({ id: 's2', ruleId: 'r2' }));
          server.measure(Array.from({ length: size }, () => ({ cpu: value + 0 })), { tenant });
          expect(server.bodies().map(({ ruleId }) => ruleId)).to.deep.equal(['r2']);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('a pause in the measurements of a server', () => {
  it('as long as the gap does not interrupt its window', () => {
    const server = watchedServer({ gapMs: GAP });
    const tenant = tenantView(2);
    server.measure({ cpu: 90 }, { tenant });
    expect(server.measure({ cpu: 90 }, { tenant, now: NOON + GAP }).fired).to.equal(1);
  });

  it('longer than the gap has it start anew', () => {
    const server = watchedServer({ gapMs: GAP });
    const tenant = tenantView(2);
    server.measure([{ cpu: 90 }, { cpu: 90 }], { tenant });
    const later = NOON + GAP + 1;
    expect(server.measure({ cpu: 90 }, { tenant, now: later }).fired).to.equal(0);
    expect(server.state).to.equal('filling');
    expect(server.measure({ cpu: 90 }, { tenant, now: later }).fired).to.equal(1);
    expect(server.state).to.equal('firing');
  });

  it('of one metric keeps a condition of several from being evaluated on a stale one', () => {
    const server = driveServer({ gapMs: GAP });
    const statement = { value: 10, operand: 'greater' } as const;
    server.addRule(ruleOf({ condition: { cpu: statement, mem: statement } }));
    server.subscribe(subscriptionOf());
    expect(server.measure({ cpu: 50, mem: 50 }).fired).to.equal(1);
    expect(server.measure({ mem: 50 }, { now: NOON + GAP }).fired).to.equal(1);
    expect(server.measure({ mem: 50 }, { now: NOON + GAP + 1 }).fired).to.equal(0);
    expect(server.state).to.equal('filling');
  });

  it('does not matter when the gap is 0', () => {
    const server = watchedServer({ gapMs: 0 });
    const tenant = tenantView(2);
    server.measure({ cpu: 90 }, { tenant });
    expect(server.measure({ cpu: 90 }, { tenant, now: NOON + 365 * 86_400_000 }).fired).to.equal(1);
  });
});

describe('a change of the window size', () => {
  const changed = (...sizes: number[]): TenantView => ({
    ...tenantView(),
    window: sizes.reduce(resized, { size: 5, version: 0, lows: [] }),
  });

  it('to a smaller one holds at the next measurement, with the newest values', () => {
    const server = watchedServer();
    server.measure([{ cpu: 10 }, { cpu: 20 }, { cpu: 90 }], { tenant: changed() });
    server.measure({ cpu: 92 }, { tenant: changed(2) });
    expect(server.context.windows.cpu.values).to.deep.equal([90, 92]);
    expect(server.bodies()[0]!['measures']).to.deep.equal({ cpu: 91 });
  });

  it('concerns the windows of metrics that are not measured just then, too', () => {
    const server = watchedServer();
    server.measure([{ mem: 1 }, { mem: 2 }, { mem: 3 }], { tenant: changed() });
    server.measure({ cpu: 1 }, { tenant: changed(2) });
    expect(server.context.windows.mem.values).to.deep.equal([2, 3]);
  });

  it('to a larger one keeps the values and waits for more', () => {
    const server = watchedServer();
    const small = changed(2);
    server.measure([{ cpu: 90 }, { cpu: 90 }], { tenant: small });
    expect(server.state).to.equal('firing');
    expect(server.measure({ cpu: 90 }, { tenant: changed(2, 4) }).fired).to.equal(0);
    expect(server.state).to.equal('filling');
    expect(server.measure({ cpu: 90 }, { tenant: changed(2, 4) }).fired).to.equal(1);
  });

  it('to a smaller one and back, between two measurements, leaves the newest values of the smaller one', () => {
    const server = watchedServer();
    server.measure([1, 2, 3, 4, 5].map((cpu) => ({ cpu })), { tenant: changed() });
    server.measure({ cpu: 6 }, { tenant: changed(2, 5) });
    expect(server.context.windows.cpu.values).to.deep.equal([4, 5, 6]);
  });

  it('does not undo what a server has collected since, where a node hears of it late', () => {
    const server = watchedServer();
    const now = changed(2, 5);
    server.measure([1, 2, 3, 4].map((cpu) => ({ cpu })), { tenant: now });
    server.measure({ mem: 1 }, { tenant: changed() });
    server.measure({ cpu: 5 }, { tenant: now });
    expect(server.context.windows.cpu.values).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('is seen by a server that gets a subscription after it', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    server.measure([1, 2, 3, 4, 5].map((cpu) => ({ cpu })), { tenant: changed() });
    server.subscribe(subscriptionOf(), { tenant: changed(2, 5) });
    expect(server.state).to.equal('filling');
  });
});
