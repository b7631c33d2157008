import { expect } from 'chai';
import type { ServerEvent } from '../../../src/policy/server/server-context.js';
import { type DrivenServer, driveServer, NOON, ruleOf, subscriptionOf, tenantView } from './driven-server.js';
import { refused } from '../http/refused.js';

const unsubscribe: ServerEvent = { type: 'unsubscribe', now: NOON, subscriptionId: 's1' };
const removeRule: ServerEvent = { type: 'removeRule', now: NOON, ruleId: 'r1' };

function subscribedServer(): DrivenServer {
  const server = driveServer();
  server.addRule(ruleOf());
  server.subscribe(subscriptionOf());
  return server;
}

describe('the rules of a server', () => {
  it('are kept in the order of their addition', () => {
    const server = driveServer();
    const rules = ['r1', 'r2', 'r3'].map((ruleId) => ruleOf({ ruleId }));
    server.ask({ type: 'addRules', now: NOON, rules: rules.slice(0, 2) });
    server.ask({ type: 'addRules', now: NOON, rules: rules.slice(2) });
    expect(server.context.rules).to.deep.equal(rules);
  });

  it('may have the same name', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    server.addRule(ruleOf({ ruleId: 'r2' }));
    expect(server.context.rules.map(({ name }) => name)).to.deep.equal(['busy', 'busy']);
  });

  it('are at most 1,000; a request beyond that adds none of its rules', () => {
    const server = driveServer();
    const rules = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => ruleOf({ ruleId: `r${from + i}` }));
    server.ask({ type: 'addRules', now: NOON, rules: rules(0, 999) });
    const refusal = refused(() => server.ask({ type: 'addRules', now: NOON, rules: rules(999, 1_001) }));
    expect(refusal.code).to.equal('too-large');
    expect(refusal.message).to.contain('at most 1000 rules');
    expect(server.context.rules).to.have.length(999);
    server.ask({ type: 'addRules', now: NOON, rules: rules(999, 1_000) });
    expect(refused(() => server.addRule(ruleOf({ ruleId: 'last' }))).code).to.equal('too-large');
  });

  it('change in the given members, each as a whole, and the reply is the changed rule', () => {
    const server = driveServer();
    server.addRule(ruleOf({ ruleId: 'r0' }));
    server.addRule(ruleOf());
    const condition = { mem: { value: 1, operand: 'less' } } as const;
    const action = { actionName: 'notify-email', email: 'a@b.c', body: 'x' } as const;
    const change = (given: object) =>
      server.ask({ type: 'changeRule', now: NOON, ruleId: 'r1', change: given, tenant: tenantView() });
    const { ruleId: _, ...before } = ruleOf();
    expect(change({ condition })).to.deep.equal({ ...before, condition });
    expect(change({ action })).to.deep.equal({ ...before, condition, action });
    expect(change({ name: 'calm' })).to.deep.equal({ name: 'calm', condition, action });
    expect(server.context.rules).to.deep.equal([
      ruleOf({ ruleId: 'r0' }),
      { ruleId: 'r1', name: 'calm', condition, action },
    ]);
  });

  it('that do not exist cannot be changed or removed', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    const changing = refused(() =>
      server.ask({
        type: 'changeRule',
        now: NOON,
        ruleId: 'r9',
        change: { name: 'x' },
        tenant: tenantView(),
      }),
    );
    expect(changing.code).to.equal('not-found');
    expect(changing.message).to.contain('r9');
    const removing = refused(() => server.ask({ type: 'removeRule', now: NOON, ruleId: 'r9' }));
    expect(removing.code).to.equal('not-found');
    server.ask(removeRule);
    expect(refused(() => server.ask(removeRule)).code).to.equal('not-found');
  });
});

describe('the subscriptions of a server', () => {
  it('bind a rule to a url once: a repetition returns the existing one', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    server.addRule(ruleOf({ ruleId: 'r2' }));
    expect(server.subscribe(subscriptionOf())).to.deep.equal(subscriptionOf());
    expect(server.subscribe(subscriptionOf({ id: 's2' }))).to.deep.equal(subscriptionOf({ at: NOON }));
    expect(server.subscribe(subscriptionOf({ id: 's3', url: 'https://example.org/3' })).id).to.equal('s3');
    expect(server.subscribe(subscriptionOf({ id: 's4', ruleId: 'r2' })).id).to.equal('s4');
    expect(server.context.subscriptions.map(({ id }) => id)).to.deep.equal(['s1', 's3', 's4']);
  });

  it('may subscribe a generic rule of the tenant', () => {
    const server = driveServer();
    const tenant = tenantView(1, [ruleOf({ ruleId: 'g1' })]);
    server.subscribe(subscriptionOf({ ruleId: 'g1' }), { tenant });
    expect(server.measure({ cpu: 90 }, { tenant }).fired).to.equal(1);
    expect(server.bodies()[0]).to.include({ ruleId: 'g1', subscriptionId: 's1' });
  });

  it('must subscribe an existing rule, even if a subscription of the removed rule has not ended yet', () => {
    const server = driveServer();
    const tenant = tenantView(1, [ruleOf({ ruleId: 'g1' })]);
    const wanted = subscriptionOf({ ruleId: 'g1' });
    expect(refused(() => server.subscribe(wanted)).code).to.equal('not-found');
    server.subscribe(wanted, { tenant });
    const refusal = refused(() => server.subscribe(wanted, { tenant: tenantView() }));
    expect(refusal.code).to.equal('not-found');
    expect(refusal.message).to.match(/^ruleId: .* g1$/);
  });

  it('are at most 1,000', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    const url = (i: number) => `https://example.org/${i}`;
    server.askTogether(
      Array.from({ length: 1_000 }, (_, i) => {
        const subscription = subscriptionOf({ id: `s${i}`, url: url(i) });
        return { type: 'subscribe', now: NOON, subscription, tenant: tenantView() };
      }),
    );
    const refusal = refused(() => server.subscribe(subscriptionOf({ id: 'last', url: url(1_000) })));
    expect(refusal.code).to.equal('too-large');
    expect(refusal.message).to.contain('at most 1000 subscriptions');
    expect(server.subscribe(subscriptionOf({ id: 'again', url: url(0) })).id).to.equal('s0');
    server.ask({ type: 'unsubscribe', now: NOON, subscriptionId: 's0' });
    expect(server.subscribe(subscriptionOf({ id: 'last', url: url(1_000) })).id).to.equal('last');
  });

  it('that do not exist cannot end', () => {
    const server = subscribedServer();
    const event: ServerEvent = { type: 'unsubscribe', now: NOON, subscriptionId: 's9' };
    const refusal = refused(() => server.ask(event));
    expect(refusal.code).to.equal('not-found');
    expect(refusal.message).to.contain('s9');
    server.ask(unsubscribe);
    expect(refused(() => server.ask(unsubscribe)).code).to.equal('not-found');
  });

  it('end when their rule is removed; those of other rules stay', () => {
    const server = driveServer();
    server.addRule(ruleOf());
    server.addRule(ruleOf({ ruleId: 'r2' }));
    server.subscribe(subscriptionOf());
    server.subscribe(subscriptionOf({ id: 's2', url: 'https://example.org/2' }));
    server.subscribe(subscriptionOf({ id: 's3', ruleId: 'r2' }));
    server.ask(removeRule);
    expect(server.context.subscriptions.map(({ id }) => id)).to.deep.equal(['s3']);
    server.measure({ cpu: 90 });
    expect(server.bodies().map(({ subscriptionId }) => subscriptionId)).to.deep.equal(['s3']);
  });

  it('fire nothing while suspended; operation 15 resumes them', () => {
    const server = subscribedServer();
    server.subscribe(subscriptionOf({ id: 's2', url: 'https://example.org/2' }));
    const suspend: ServerEvent = {
      type: 'suspend',
      now: NOON,
      subscriptionId: 's1',
      since: NOON,
      refused: { deliveryId: 'msg_x', factId: 0 },
    };
    server.ask(suspend);
    server.ask({ ...suspend, since: NOON + 1 });
    expect(server.measure([{ cpu: 90 }, { cpu: 10 }, { cpu: 90 }]).fired).to.equal(2);
    expect(server.state).to.equal('firing');
    expect(server.context.unsent).to.deep.equal({ s1: 2 });
    expect(server.context.subscriptions[0]).to.deep.equal(subscriptionOf({ at: NOON, suspended: NOON }));

    expect(server.subscribe(subscriptionOf({ id: 's9' }))).to.deep.equal(
      subscriptionOf({ at: NOON, lifted: NOON }),
    );
    expect(server.context.outbox.filter(({ type }) => type === 'resume')).to.deep.equal([
      { id: 'resume:s1', type: 'resume', subscriptionId: 's1', since: NOON },
    ]);
    server.ask(suspend);
    expect(server.measure({ cpu: 90 }).fired, 'a suspension that was lifted came again').to.equal(2);
    server.ask({ ...suspend, since: NOON + 2 });
    expect(server.measure({ cpu: 90 }).fired).to.equal(1);
    expect(server.context.unsent).to.deep.equal({ s1: 3 });
    server.ask(unsubscribe);
    server.ask(suspend);
    expect(server.context.unsent).to.deep.equal({});
  });

  it('leave earlier messages in the outbox when they end', () => {
    const server = subscribedServer();
    server.measure({ cpu: 90 });
    const fired = server.messages();
    expect(fired).to.have.length(1);
    server.ask(unsubscribe);
    server.ask(removeRule);
    expect(server.messages()).to.deep.equal(fired);
    server.ask({ type: 'performed', now: NOON, entryId: fired[0]!.id });
    expect(server.messages()).to.be.empty;
  });
});
