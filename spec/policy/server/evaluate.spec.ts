import { expect } from 'chai';
import fc from 'fast-check';
import type { TenantView } from '../../../src/policy/tenant/tenant-view.js';
import { type DrivenServer, driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

/** A server with a subscription to more than 80 % cpu. */
function subscribedServer(settings: Parameters<typeof driveServer>[0] = {}): DrivenServer {
  const server = driveServer(settings);
  server.addRule(ruleOf());
  server.subscribe(subscriptionOf());
  return server;
}

describe('measurements of a server', () => {
  it('are numbered from 1 without a gap; the answer has the number of the last', () => {
    const server = driveServer();
    expect(server.measure({ cpu: 1 })).to.deep.equal({ factId: 1, counted: true, evaluated: 0, fired: 0 });
    expect(server.measure([{ cpu: 1 }, { mem: 2 }, { hdd: 3 }]).factId).to.equal(4);
    expect(server.measure({ net: 1 }).factId).to.equal(5);
    expect(server.context.factId).to.equal(5);
  });

  it('that arrive together are added in order, each evaluated by itself', () => {
    const server = subscribedServer();
    expect(server.measure([{ cpu: 90 }, { cpu: 70 }, { cpu: 95 }, { mem: 99 }]).fired).to.equal(2);
    expect(server.bodies().map(({ factId, measures }) => [factId, measures])).to.deep.equal([
      [1, { cpu: 90 }],
      [3, { cpu: 95 }],
    ]);
    expect(server.context.windows.tracked['cpu']!.values).to.deep.equal([95]);
  });

  it('fill the windows of a server without subscriptions', () => {
    const server = driveServer();
    const tenant = tenantView(3);
    server.measure([{ cpu: 90 }, { cpu: 91 }, { cpu: 92 }], { tenant });
    server.addRule(ruleOf());
    server.subscribe(subscriptionOf(), { tenant });
    expect(server.state).to.equal('filling');
    expect(server.measure({ cpu: 93 }, { tenant }).fired).to.equal(1);
    expect(server.bodies()[0]!['measures']).to.deep.equal({ cpu: 92 });
  });
});

describe('an evaluation', () => {
  it('uses the mean of the window, not rounded', () => {
    const server = subscribedServer();
    const tenant = tenantView(3);
    server.measure([{ cpu: 80 }, { cpu: 80 }, { cpu: 81 }], { tenant });
    expect(server.bodies()[0]!['measures']).to.deep.equal({ cpu: 241 / 3 });
  });

  it('waits until the window of the condition is full', () => {
    const server = subscribedServer();
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

  it('happens only for a measurement with a metric of the condition', () => {
    const server = subscribedServer();
    expect(server.measure({ cpu: 90 }).fired).to.equal(1);
    expect(server.measure({ mem: 90, hdd: 90, net: 90 }).fired).to.equal(0);
    expect(server.measure({ net: 90, cpu: 90 }).fired).to.equal(1);
  });

  it('takes the metrics missing in a measurement from their windows', () => {
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
    const server = subscribedServer();
    for (const cpu of [90, 90, 90, 80, 90]) server.measure({ cpu });
    expect(server.bodies().map(({ factId }) => factId)).to.deep.equal([1, 2, 3, 5]);
  });

  it('fires once for each subscription of a rule, and not for a rule without one', () => {
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

  it('uses the current rule', () => {
    const server = subscribedServer();
    server.measure({ cpu: 90 });
    const condition = { cpu: { value: 95, operand: 'greater' } } as const;
    server.ask({ type: 'changeRule', now: NOON, ruleId: 'r1', change: { condition }, tenant: tenantView() });
    expect(server.measure({ cpu: 90 }).fired).to.equal(0);
    expect(server.measure({ cpu: 96 }).fired).to.equal(1);
  });

  it('uses the current generic rules of the tenant, and no removed one', () => {
    const server = driveServer();
    const generic = (value: number): TenantView =>
      tenantView(1, [ruleOf({ ruleId: 'g1', condition: { cpu: { value, operand: 'greater' } } })]);
    server.subscribe(subscriptionOf({ ruleId: 'g1' }), { tenant: generic(80) });
    expect(server.measure({ cpu: 90 }, { tenant: generic(80) }).fired).to.equal(1);
    expect(server.measure({ cpu: 90 }, { tenant: generic(95) }).fired).to.equal(0);
    expect(server.measure({ cpu: 90 }, { tenant: generic(85) }).fired).to.equal(1);
    expect(server.measure({ cpu: 90 }, { tenant: tenantView() }).fired).to.equal(0);
  });

  it('uses the generic rule of each measurement, also if several are committed together', () => {
    const server = driveServer();
    const facts = (value: number) => ({
      type: 'facts' as const,
      now: NOON,
      measures: [{ cpu: 90 }],
      source: undefined,
      tenant: tenantView(1, [ruleOf({ condition: { cpu: { value, operand: 'greater' } } })]),
    });
    const { tenant } = facts(80);
    server.subscribe(subscriptionOf(), { tenant });
    server.askTogether([facts(80), facts(95), facts(85), facts(91)]);
    expect(server.bodies().map(({ factId }) => factId)).to.deep.equal([1, 3]);
  });

  it('of equal values compares exactly that value, for any window size', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.integer({ min: 1, max: 50 }),
        (value, size) => {
          const server = driveServer();
          const tenant = tenantView(size);
          server.addRule(ruleOf({ condition: { cpu: { value: value + 0, operand: 'greater' } } }));
          server.addRule(
            ruleOf({ ruleId: 'r2', condition: { cpu: { value: value + 0, operand: 'less equal' } } }),
          );
          server.subscribe(subscriptionOf());
          server.subscribe(subscriptionOf({ id: 's2', ruleId: 'r2' }));
          server.measure(
            Array.from({ length: size }, () => ({ cpu: value + 0 })),
            { tenant },
          );
          expect(server.bodies().map(({ ruleId }) => ruleId)).to.deep.equal(['r2']);
        },
      ),
      { numRuns: 50 },
    );
  });
});
