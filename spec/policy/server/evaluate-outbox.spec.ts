import { expect } from 'chai';
import { takeFacts } from '../../../src/policy/server/take-facts.js';
import type { Rule } from '../../../src/policy/rules/rule.js';
import {
  type DrivenServer,
  driveServer,
  NOON,
  ruleOf,
  SETTINGS,
  subscriptionOf,
  tenantView,
} from './driven-server.js';
import { cpuTimeOf } from '../../system/cpu-time.js';
import { leastOf } from '../../system/longest-hold.js';
import { refused } from '../http/refused.js';

const MAIL = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look at it' } as const;

function subscribedServer(rule: Rule, settings: Parameters<typeof driveServer>[0] = {}): DrivenServer {
  const server = driveServer(settings);
  server.addRule(rule);
  server.subscribe(subscriptionOf());
  return server;
}

describe('the messages of one request', () => {
  const action = { ...MAIL, body: 'x'.repeat(100_000) };

  it('are refused together with the measurements if they do not fit', () => {
    const server = subscribedServer(ruleOf({ action }));
    const refusal = refused(() => server.measure(Array.from({ length: 150 }, () => ({ cpu: 90 }))));
    expect(refusal.code).to.equal('too-large');
    expect(refusal.message).to.contain('send fewer of them together');
    expect(server.context.factId).to.equal(0);
    expect(server.context.mail).to.be.empty;
    expect(server.measure(Array.from({ length: 100 }, () => ({ cpu: 90 }))).fired).to.equal(100);
  });

  it('are counted in bytes, not in characters', () => {
    const cjk = { ...MAIL, body: '規'.repeat(60_000) };
    const server = subscribedServer(ruleOf({ action: cjk }));
    const refusal = refused(() => server.measure(Array.from({ length: 80 }, () => ({ cpu: 90 }))));
    expect(refusal.code).to.equal('too-large');
    expect(server.context.factId).to.equal(0);
    expect(server.measure(Array.from({ length: 60 }, () => ({ cpu: 90 }))).fired).to.equal(60);
  });

  it('are refused before they are made if the outbox has no room for them', () => {
    const server = subscribedServer(ruleOf({ action }));
    const facts = Array.from({ length: 100 }, () => ({ cpu: 90 }));
    server.measure(facts);
    const before = structuredClone(server.context);
    const refusal = refused(() => server.measure(facts));
    expect(refusal).to.include({ code: 'unavailable', retryAfterS: 1 });
    expect(refusal.message).to.contain('nothing was done');
    expect(server.context).to.deep.equal(before);
    const entryIds = server.messages().map(({ id }) => id);
    server.ask({ type: 'dispatched', now: NOON, entryIds });
    expect(server.measure(facts).fired).to.equal(100);
  });

  it('are refused if their tenant has no room for them', () => {
    const server = subscribedServer(ruleOf({ action }));
    const event = {
      type: 'facts',
      now: NOON,
      measures: [{ cpu: 90 }],
      source: undefined,
      tenant: tenantView(),
    } as const;
    const refusal = refused(() => server.ask({ ...event, room: 90_000 }));
    expect(refusal.code).to.equal('unavailable');
    expect(server.context.factId).to.equal(0);
    server.ask({ ...event, room: 300_000 });
    expect(server.context.factId).to.equal(1);
  });

  for (const [subscriptions, most] of [
    [1, 1_000],
    [3, 333],
    [1_000, 1],
  ] as const) {
    it(`are at most 1,000: ${most} elements for ${subscriptions} subscriptions, firing or not`, () => {
      const server = subscribedServer(ruleOf());
      server.askTogether(
        Array.from({ length: subscriptions - 1 }, (_, i) => {
          const subscription = subscriptionOf({ id: `m${i}`, url: `https://example.org/${i}` });
          return { type: 'subscribe', now: NOON, subscription, tenant: tenantView() };
        }),
      );
      const elements = (count: number, cpu: number) => Array.from({ length: count }, () => ({ cpu }));
      const before = structuredClone(server.context);
      for (const value of [10, 90]) {
        const refusal = refused(() => server.measure(elements(most + 1, value)));
        expect(refusal.code).to.equal('too-large');
        expect(refusal.message).to.match(new RegExp(`send at most ${most} elements? together$`));
        expect(server.context).to.deep.equal(before);
      }
      expect(server.measure(elements(most, 10))).to.include({ factId: most, fired: 0 });
      expect(server.measure(elements(most, 90)).fired).to.equal(most * subscriptions);
    });
  }

  it('are not limited on a server without subscriptions', () => {
    expect(driveServer().measure(Array.from({ length: 2_000 }, () => ({ cpu: 90 }))).factId).to.equal(2_000);
  });

  it('are made as fast for many subscriptions as for few', async () => {
    const timed = (subscriptions: number, facts: number, enough?: number): Promise<number> => {
      const server = subscribedServer(ruleOf({ action: MAIL }));
      const subscribing = Array.from({ length: subscriptions - 1 }, (_, i) => {
        const subscription = subscriptionOf({ id: `m${i}`, url: `https://example.org/${i}` });
        return { type: 'subscribe', now: NOON, subscription, tenant: tenantView() } as const;
      });
      server.askTogether(subscribing);
      const measures = Array.from({ length: facts }, () => ({ cpu: 90 }));
      const event = { type: 'facts', now: NOON, measures, source: undefined, tenant: tenantView() } as const;
      const take = (): void => {
        expect(takeFacts(server.context, event, SETTINGS).reply).to.include({ fired: subscriptions * facts });
      };
      return leastOf(() => cpuTimeOf(take), enough);
    };
    const few = await timed(1, 1_000);
    expect(await timed(1_000, 1, 10 * few)).to.be.below(10 * few);
  });
});

describe('a full outbox', () => {
  const overdueOf = (server: DrivenServer) =>
    server.bodies().map(({ factId }, i) => [factId, server.messages()[i]!.overdue ?? false]);

  it('turns its oldest messages into dead letters', () => {
    const server = subscribedServer(ruleOf(), { outboxLimit: 2 });
    for (let i = 0; i < 4; i += 1) server.measure({ cpu: 90 });
    expect(overdueOf(server)).to.deep.equal([
      [1, true],
      [2, true],
      [3, false],
      [4, false],
    ]);
    server.measure([{ cpu: 90 }, { cpu: 90 }, { cpu: 90 }]);
    expect(overdueOf(server).map(([, overdue]) => overdue)).to.deep.equal([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('keeps every message up to its limit', () => {
    const server = subscribedServer(ruleOf(), { outboxLimit: 2 });
    server.measure([{ cpu: 90 }, { cpu: 90 }]);
    expect(overdueOf(server)).to.deep.equal([
      [1, false],
      [2, false],
    ]);
    server.ask({ type: 'performed', now: NOON, entryId: server.messages()[0]!.id });
    server.measure({ cpu: 90 });
    expect(overdueOf(server)).to.deep.equal([
      [2, false],
      [3, false],
    ]);
  });
});
