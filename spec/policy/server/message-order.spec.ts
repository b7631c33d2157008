import { expect } from 'chai';
import type { Rule } from '../../../src/policy/rules/rule.js';
import { refused } from '../http/refused.js';
import {
  type DrivenServer,
  driveServer,
  NOON,
  ruleOf,
  SETTINGS,
  subscriptionOf,
  tenantView,
} from './driven-server.js';

const MAIL = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look at it' } as const;
const STATEFUL = { repeat: 0, resolve: true } as const;

function serverWith(rule: Partial<Rule>): DrivenServer {
  const server = driveServer();
  server.addRule(ruleOf(rule));
  server.subscribe(subscriptionOf());
  return server;
}

/** What each message in the outbox comes behind: the place of that message in the outbox, or null. */
function afters(server: DrivenServer): readonly (number | null)[] {
  const all = server.messages();
  return all.map(({ after }) => (after === undefined ? null : all.findIndex(({ id }) => id === after)));
}

describe('the messages of a subscription', () => {
  it('of a rule with states come behind the one before', () => {
    const server = serverWith(STATEFUL);
    for (const cpu of [97, 10, 98]) server.measure({ cpu });
    expect(afters(server)).to.deep.equal([null, 0, 1]);
    const [, , last] = server.messages();
    server.ask({ type: 'dispatched', now: NOON, entryIds: server.messages().map(({ id }) => id) });
    server.measure({ cpu: 1 });
    expect(server.messages().map(({ after }) => after)).to.deep.equal([last!.id]);
  });

  it('of a rule with states come behind each other by channel', () => {
    const server = serverWith({ ...STATEFUL, action: MAIL });
    for (const cpu of [97, 10]) server.measure({ cpu });
    expect(server.messages().map(({ message }) => message.channel)).to.deep.equal([
      'webhook',
      'email',
      'webhook',
      'email',
    ]);
    expect(afters(server)).to.deep.equal([null, null, 0, 1]);
    // Within the mail interval: the webhook alone.
    server.measure({ cpu: 99 });
    server.measure({ cpu: 9 });
    expect(afters(server)).to.deep.equal([null, null, 0, 1, 2, 4, 3]);
  });

  it('of a rule without states come behind none', () => {
    const server = serverWith({});
    server.measure([{ cpu: 97 }, { cpu: 98 }]);
    expect(afters(server)).to.deep.equal([null, null]);
    expect(server.context.newest).to.equal(undefined);
  });

  it('of a rule that gets states come behind those it made with states', () => {
    const server = serverWith(STATEFUL);
    server.measure({ cpu: 97 });
    const change = (more: object) =>
      server.ask({ type: 'changeRule', now: NOON, ruleId: 'r1', change: more, tenant: tenantView() });
    change({ repeat: null, resolve: null });
    server.measure({ cpu: 98 });
    change({ resolve: true });
    server.measure({ cpu: 99 });
    expect(afters(server)).to.deep.equal([null, null, 0]);
  });

  it('of another subscription do not count', () => {
    const server = serverWith(STATEFUL);
    server.subscribe(subscriptionOf({ id: 's2', url: 'https://example.org/2' }));
    server.measure({ cpu: 97 });
    server.measure({ cpu: 10 });
    expect(afters(server)).to.deep.equal([null, null, 0, 1]);
  });

  it('are forgotten when it ends', () => {
    const server = serverWith(STATEFUL);
    server.measure({ cpu: 97 });
    expect(server.context.newest).to.have.keys(['s1']);
    server.ask({ type: 'unsubscribe', now: NOON, subscriptionId: 's1' });
    expect(server.context.newest).to.deep.equal({});
  });

  it('that are refused are nobody’s predecessors', () => {
    const server = serverWith({ repeat: 0.001, action: { ...MAIL, body: 'x'.repeat(60_000) } });
    server.measure({ cpu: 97 });
    const before = server.context.newest;
    const [webhook] = server.messages();
    const event = { type: 'facts', now: NOON + 10, source: undefined, tenant: tenantView() } as const;
    const later = { ...event, now: NOON + SETTINGS.mailIntervalMs, measures: [{ cpu: 98 }] };
    expect(refused(() => server.ask({ ...later, room: 70_000 })).code).to.equal('unavailable');
    expect(server.context.newest).to.deep.equal(before);
    server.ask(later);
    expect(server.messages()[2]!.after).to.equal(webhook!.id);
  });
});
