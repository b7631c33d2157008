import { expect } from 'chai';

import { TENANT, type TenantContext, type TenantEvent } from '../../../src/policy/tenant/tenant-machine.js';
import {
  TENANT_NAME,
  type TenantNameContext,
  type TenantNameEvent,
} from '../../../src/policy/tenant/tenant-name.js';
import { driveActor } from '../../actors/stage/driven-actor.js';
import { NOON, policyKind, ruleOf } from '../server/driven-server.js';
import { refused } from '../http/refused.js';

function newTenant() {
  const address = { kind: TENANT, tenant: 'acme', name: 'tenant' };
  return driveActor<TenantContext, TenantEvent>(policyKind(TENANT), address);
}

function knownTenant() {
  const tenant = newTenant();
  tenant.ask({ type: 'seen', now: NOON, name: 'Acme' });
  return tenant;
}

describe('a tenant', () => {
  it('is unknown until its first valid token, then known for good', () => {
    const tenant = newTenant();
    expect(tenant.state).to.equal('unknown');
    tenant.ask({ type: 'seen', now: NOON, name: 'Acme' });
    expect(tenant.state).to.equal('known');
    tenant.ask({ type: 'seen', now: NOON, name: 'Acme' });
    tenant.ask({ type: 'wake', now: NOON });
    expect(tenant.state).to.equal('known');
  });

  it('that is unknown, or being deleted, refuses changes: nobody is told that they are made', () => {
    const deleted = knownTenant();
    deleted.ask({ type: 'delete', now: NOON });
    for (const one of [newTenant(), deleted]) {
      const { state } = one;
      for (const event of [
        { type: 'resize', now: NOON, size: 7 },
        { type: 'addRule', now: NOON, rule: ruleOf() },
      ] as const)
        expect(refused(() => one.ask(event)).code).to.equal('unavailable');
      expect(one.state).to.equal(state);
    }
    expect(refused(() => deleted.ask({ type: 'seen', now: NOON, name: 'Acme' })).code).to.equal(
      'unavailable',
    );
    const tenant = newTenant();
    expect(tenant.state).to.equal('unknown');
    expect(tenant.context).to.deep.include({ rules: [], names: [] });
    expect(tenant.context.window.size).to.equal(5);
  });

  it('has every name in its tokens once, the first one first', () => {
    const tenant = knownTenant();
    for (const name of ['Other', 'Acme', 'Other']) tenant.ask({ type: 'seen', now: NOON, name });
    expect(tenant.context.names).to.deep.equal(['Acme', 'Other']);
  });

  it('has windows of 5 values until it changes the size', () => {
    const tenant = knownTenant();
    expect(tenant.context.window).to.deep.equal({ size: 5, version: 0, lows: [] });
    tenant.ask({ type: 'resize', now: NOON, size: 3 });
    tenant.ask({ type: 'resize', now: NOON, size: 9 });
    expect(tenant.context.window).to.deep.equal({
      size: 9,
      version: 2,
      lows: [
        [1, 3],
        [2, 9],
      ],
    });
  });

  it('keeps its rules at further tokens', () => {
    const tenant = knownTenant();
    tenant.ask({ type: 'addRule', now: NOON, rule: ruleOf() });
    tenant.ask({ type: 'seen', now: NOON, name: 'Acme' });
    expect(tenant.context.rules).to.deep.equal([ruleOf()]);
  });
});

describe('the generic rules of a tenant', () => {
  it('are kept in the order of their addition, at most 1,000', () => {
    const tenant = knownTenant();
    const rules = Array.from({ length: 1_000 }, (_, i) => ruleOf({ ruleId: `g${i}` }));
    tenant.askTogether(rules.map((rule) => ({ type: 'addRule', now: NOON, rule })));
    expect(tenant.context.rules).to.deep.equal(rules);
    const refusal = refused(() =>
      tenant.ask({ type: 'addRule', now: NOON, rule: ruleOf({ ruleId: 'last' }) }),
    );
    expect(refusal.code).to.equal('too-large');
    expect(refusal.message).to.contain('at most 1000 rules');
  });

  it('change in the given members, and the reply is the changed rule', () => {
    const tenant = knownTenant();
    tenant.ask({ type: 'addRule', now: NOON, rule: ruleOf({ ruleId: 'g0' }) });
    tenant.ask({ type: 'addRule', now: NOON, rule: ruleOf() });
    const { ruleId: _, ...before } = ruleOf();
    expect(
      tenant.ask({ type: 'changeRule', now: NOON, ruleId: 'r1', change: { name: 'calm' } }),
    ).to.deep.equal({ ...before, name: 'calm' });
    expect(tenant.context.rules).to.deep.equal([ruleOf({ ruleId: 'g0' }), ruleOf({ name: 'calm' })]);
  });

  it('that do not exist cannot be changed or removed', () => {
    const tenant = knownTenant();
    const change = { name: 'x' };
    for (const event of [
      { type: 'changeRule', now: NOON, ruleId: 'g9', change },
      { type: 'removeRule', now: NOON, ruleId: 'g9' },
    ] as const) {
      const refusal = refused(() => tenant.ask(event));
      expect(refusal.code).to.equal('not-found');
      expect(refusal.message).to.contain('g9');
    }
    expect(tenant.context.outbox).to.be.empty;
  });

  it('leave an entry in the outbox when they are removed, to end them on every server', () => {
    const tenant = knownTenant();
    tenant.ask({ type: 'addRule', now: NOON, rule: ruleOf() });
    tenant.ask({ type: 'addRule', now: NOON, rule: ruleOf({ ruleId: 'r2' }) });
    tenant.ask({ type: 'removeRule', now: NOON, ruleId: 'r1' });
    expect(tenant.context.rules).to.deep.equal([ruleOf({ ruleId: 'r2' })]);
    expect(tenant.context.outbox).to.deep.equal([
      { id: 'ruleChanged:r1', type: 'ruleChanged', ruleId: 'r1' },
    ]);
    tenant.ask({ type: 'performed', now: NOON, entryId: 'ruleChanged:r1' });
    expect(tenant.context.outbox).to.be.empty;
  });
});

describe('the name of a tenant', () => {
  it('belongs to the first tenant with this name', () => {
    const address = { kind: TENANT_NAME, tenant: 'Acme', name: 'name' };
    const name = driveActor<TenantNameContext, TenantNameEvent>(policyKind(TENANT_NAME), address);
    expect(name.state).to.equal('free');
    name.ask({ type: 'bind', now: NOON, tenantId: 't1' });
    name.ask({ type: 'bind', now: NOON, tenantId: 't2' });
    expect(name.state).to.equal('bound');
    expect(name.context.tenantId).to.equal('t1');
  });
});
