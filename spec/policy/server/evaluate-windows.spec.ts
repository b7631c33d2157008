import { expect } from 'chai';
import type { TenantView } from '../../../src/policy/server/server-context.js';
import { resized } from '../../../src/policy/tenant/window-size.js';
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
    server.measure(
      [1, 2, 3, 4, 5].map((cpu) => ({ cpu })),
      { tenant: changed() },
    );
    server.measure({ cpu: 6 }, { tenant: changed(2, 5) });
    expect(server.context.windows.cpu.values).to.deep.equal([4, 5, 6]);
  });

  it('does not undo what a server has collected since, where a node hears of it late', () => {
    const server = watchedServer();
    const now = changed(2, 5);
    server.measure(
      [1, 2, 3, 4].map((cpu) => ({ cpu })),
      { tenant: now },
    );
    server.measure({ mem: 1 }, { tenant: changed() });
    server.measure({ cpu: 5 }, { tenant: now });
    expect(server.context.windows.cpu.values).to.deep.equal([1, 2, 3, 4, 5]);
  });

  it('is seen by a server that gets a subscription after it', () => {
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
