import { expect } from 'chai';
import type { Rule } from '../../../src/policy/rules/rule.js';
import type { ServerEvent } from '../../../src/policy/server/server-context.js';
import { type DrivenServer, driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';

const TENANT = tenantView(2);

const STATES = ['unwatched', 'filling', 'calm', 'pending', 'firing'] as const;

function serverIn(state: (typeof STATES)[number]): DrivenServer {
  const server = driveServer();
  server.addRule(ruleOf(state === 'pending' ? { for: 60 } : {}));
  if (state !== 'unwatched') server.subscribe(subscriptionOf(), { tenant: TENANT });
  if (state === 'calm') server.measure([{ cpu: 1 }, { cpu: 1 }], { tenant: TENANT });
  if (state === 'pending' || state === 'firing')
    server.measure([{ cpu: 90 }, { cpu: 90 }], { tenant: TENANT });
  expect(server.state).to.equal(state);
  return server;
}

const facts = (...series: number[]): ServerEvent => ({
  type: 'facts',
  now: NOON,
  measures: series.map((cpu) => ({ cpu })),
  source: undefined,
  tenant: TENANT,
});
const inLargerWindow: ServerEvent = { ...facts(90), tenant: tenantView(9) } as ServerEvent;
const ofMemory: ServerEvent = { ...facts(), measures: [{ mem: 1 }] } as ServerEvent;
const unsubscribe: ServerEvent = { type: 'unsubscribe', now: NOON, subscriptionId: 's1' };
const removeRule: ServerEvent = { type: 'removeRule', now: NOON, ruleId: 'r1' };
const subscribeAgain: ServerEvent = {
  type: 'subscribe',
  now: NOON,
  subscription: subscriptionOf({ id: 's2', url: 'https://example.org/2' }),
  tenant: TENANT,
};
const others: readonly ServerEvent[] = [
  { type: 'addRules', now: NOON, rules: [ruleOf({ ruleId: 'r2' })] },
  { type: 'changeRule', now: NOON, ruleId: 'r1', change: { name: 'other' }, tenant: tenantView() },
  { type: 'performed', now: NOON, entryId: 'none' },
  { type: 'wake', now: NOON },
  { type: 'discard', now: NOON, brokerId: 'b9' },
  { type: 'renewed', now: NOON, entryId: 'none', subscriptionId: 'none', broker: { id: 'b9' } },
  { type: 'rulesChanged', now: NOON, tenant: TENANT },
];

describe('the state of a server', () => {
  it('is unwatched at first, whatever is measured', () => {
    const server = driveServer();
    expect(server.state).to.equal('unwatched');
    server.measure({ cpu: 100 });
    expect(server.state).to.equal('unwatched');
  });

  const transitions = [
    ['unwatched', 'measurements', facts(90, 90), 'unwatched'],
    ['unwatched', 'a subscription', subscribeAgain, 'filling'],
    ['unwatched', 'the removal of a rule', removeRule, 'unwatched'],
    ['filling', 'too few measurements', facts(90), 'filling'],
    ['filling', 'enough measurements that are fine', facts(1, 1), 'calm'],
    ['filling', 'enough measurements that are not', facts(90, 90), 'firing'],
    ['filling', 'another subscription', subscribeAgain, 'filling'],
    ['filling', 'the end of its subscription', unsubscribe, 'unwatched'],
    ['filling', 'the removal of its rule', removeRule, 'unwatched'],
    ['calm', 'measurements that are fine', facts(2), 'calm'],
    ['calm', 'measurements for a larger window', inLargerWindow, 'filling'],
    ['firing', 'measurements for a larger window', inLargerWindow, 'filling'],
    ['firing', 'measurements that concern no rule', ofMemory, 'firing'],
    ['calm', 'measurements that are not', facts(90, 90), 'firing'],
    ['calm', 'another subscription', subscribeAgain, 'filling'],
    ['pending', 'measurements that are fine', facts(1, 1), 'calm'],
    ['pending', 'measurements that are no better', facts(90), 'pending'],
    ['pending', 'another subscription', subscribeAgain, 'pending'],
    ['calm', 'the end of its subscription', unsubscribe, 'unwatched'],
    ['calm', 'the removal of its rule', removeRule, 'unwatched'],
    ['firing', 'measurements that are no better', facts(90), 'firing'],
    ['firing', 'measurements that are fine again', facts(1, 1), 'calm'],
    ['firing', 'another subscription', subscribeAgain, 'firing'],
    ['firing', 'the end of its subscription', unsubscribe, 'unwatched'],
    ['firing', 'the removal of its rule', removeRule, 'unwatched'],
  ] as const;
  for (const [from, what, event, to] of transitions) {
    it(`is ${to} after ${what} while ${from}`, () => {
      const server = serverIn(from);
      server.ask(event);
      expect(server.state).to.equal(to);
    });
  }

  for (const state of STATES) {
    it(`stays ${state} at any other event`, () => {
      for (const event of others) {
        const server = serverIn(state);
        server.ask(event);
        expect(server.state, event.type).to.equal(state);
      }
    });
  }

  it('is filling again when a subscription uses a window that is not full, unless another one fires', () => {
    const second = ruleOf({ ruleId: 'r2', condition: { net: { value: 1, operand: 'less' } } });
    for (const [before, after] of [
      ['calm', 'filling'],
      ['firing', 'firing'],
    ] as const) {
      const server = serverIn(before);
      server.addRule(second);
      server.subscribe(subscriptionOf({ id: 's2', ruleId: 'r2' }), { tenant: TENANT });
      expect(server.state).to.equal(after);
    }
  });

  it('is firing while any subscription is, whatever the newest measurement evaluated', () => {
    const server = serverIn('firing');
    server.addRule(ruleOf({ ruleId: 'r2', condition: { net: { value: 1, operand: 'less' } } }));
    server.subscribe(subscriptionOf({ id: 's2', ruleId: 'r2' }), { tenant: TENANT });
    server.measure([{ net: 50 }, { net: 50 }], { tenant: TENANT });
    expect(server.state).to.equal('firing');
    server.measure([{ cpu: 1 }, { cpu: 1 }], { tenant: TENANT });
    expect(server.state).to.equal('calm');
  });

  it('is filling again when a subscription returns after all had ended, until it is evaluated', () => {
    const server = serverIn('firing');
    server.ask(unsubscribe);
    server.subscribe(subscriptionOf(), { tenant: TENANT });
    expect(server.state).to.equal('filling');
    server.measure({ cpu: 1 }, { tenant: TENANT });
    expect(server.state).to.equal('calm');
  });

  it('is the worst of the states of its subscriptions, noData before pending', () => {
    const server = driveServer();
    const subscribe = (id: string, cpu: number, more: Partial<Rule>): void => {
      const condition = { cpu: { value: cpu, operand: 'greater' as const } };
      server.addRule(ruleOf({ ruleId: `r-${id}`, condition, ...more }));
      server.subscribe(subscriptionOf({ id, ruleId: `r-${id}` }), { tenant: TENANT });
    };
    subscribe('calm', 99, {});
    server.measure([{ cpu: 50 }, { cpu: 50 }], { tenant: TENANT });
    expect(server.state).to.equal('calm');
    subscribe('pending', 10, { for: 3_600 });
    server.measure({ cpu: 50 }, { tenant: TENANT });
    expect(server.state).to.equal('pending');
    subscribe('silent', 99, { noData: 60 });
    server.measure({ cpu: 50 }, { tenant: TENANT });
    expect(server.state).to.equal('pending');
    server.ask({ type: 'noDataTimeout', now: NOON + 61_000, tenant: TENANT });
    expect(server.state).to.equal('noData');
    server.measure([{ cpu: 100 }, { cpu: 100 }], { tenant: TENANT });
    expect(server.state).to.equal('firing');
  });
});
