import { expect } from 'chai';
import type { TenantView } from '../../../src/policy/tenant/tenant-view.js';
import { resized } from '../../../src/policy/windows/window.js';
import { type DrivenServer, driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

const GAP = 300_000;

/** A server with a subscription to more than 80 % cpu. */
function subscribedServer(settings: Parameters<typeof driveServer>[0] = {}): DrivenServer {
  const server = driveServer(settings);
  server.addRule(ruleOf());
  server.subscribe(subscriptionOf());
  return server;
}

describe('a pause in the measurements of a server', () => {
  it('of exactly the gap keeps the window', () => {
    const server = subscribedServer({ gapMs: GAP });
    const tenant = tenantView(2);
    server.measure({ cpu: 90 }, { tenant });
    expect(server.measure({ cpu: 90 }, { tenant, now: NOON + GAP }).fired).to.equal(1);
  });

  it('longer than the gap empties the window', () => {
    const server = subscribedServer({ gapMs: GAP });
    const tenant = tenantView(2);
    server.measure([{ cpu: 90 }, { cpu: 90 }], { tenant });
    const later = NOON + GAP + 1;
    expect(server.measure({ cpu: 90 }, { tenant, now: later }).fired).to.equal(0);
    expect(server.state).to.equal('filling');
    expect(server.measure({ cpu: 90 }, { tenant, now: later }).fired).to.equal(1);
    expect(server.state).to.equal('firing');
  });

  it('of one metric stops the evaluation of a condition with several metrics', () => {
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
    const server = subscribedServer({ gapMs: 0 });
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

  it('to a smaller size keeps the newest values and takes effect at the next measurement', () => {
    const server = subscribedServer();
    server.measure([{ cpu: 10 }, { cpu: 20 }, { cpu: 90 }], { tenant: changed() });
    server.measure({ cpu: 92 }, { tenant: changed(2) });
    expect(server.context.windows.tracked['cpu']!.values).to.deep.equal([90, 92]);
    expect(server.bodies()[0]!['measures']).to.deep.equal({ cpu: 91 });
  });

  it('applies to the windows of metrics without a measurement too', () => {
    const server = subscribedServer();
    server.measure([{ mem: 1 }, { mem: 2 }, { mem: 3 }], { tenant: changed() });
    server.measure({ cpu: 1 }, { tenant: changed(2) });
    expect(server.context.windows.tracked['mem']!.values).to.deep.equal([2, 3]);
  });

  it('to a larger size keeps the values and waits for more', () => {
    const server = subscribedServer();
    const small = changed(2);
    server.measure([{ cpu: 90 }, { cpu: 90 }], { tenant: small });
    expect(server.state).to.equal('firing');
    expect(server.measure({ cpu: 90 }, { tenant: changed(2, 4) }).fired).to.equal(0);
    expect(server.state).to.equal('filling');
    expect(server.measure({ cpu: 90 }, { tenant: changed(2, 4) }).fired).to.equal(1);
  });

  it('to a smaller size and back between two measurements keeps the values of the smaller size', () => {
    const server = subscribedServer();
    server.measure(
      [1, 2, 3, 4, 5].map((cpu) => ({ cpu })),
      { tenant: changed() },
    );
    server.measure({ cpu: 6 }, { tenant: changed(2, 5) });
    expect(server.context.windows.tracked['cpu']!.values).to.deep.equal([4, 5, 6]);
  });

  it('does not remove newer values when a node learns of it late', () => {
    const server = subscribedServer();
    const now = changed(2, 5);
    server.measure(
      [1, 2, 3, 4].map((cpu) => ({ cpu })),
      { tenant: now },
    );
    server.measure({ mem: 1 }, { tenant: changed() });
    server.measure({ cpu: 5 }, { tenant: now });
    expect(server.context.windows.tracked['cpu']!.values).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('applies to a server that gets a subscription afterwards', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    server.measure(
      [1, 2, 3, 4, 5].map((cpu) => ({ cpu })),
      { tenant: changed() },
    );
    server.subscribe(subscriptionOf(), { tenant: changed(2, 5) });
    expect(server.state).to.equal('filling');
  });
});
