import { expect } from 'chai';
import type { Rule } from '../../../src/policy/rules/rule.js';
import { findBoundRule } from '../../../src/policy/subscriptions/bound-rule.js';
import { rejectionOf } from '../../rejection.js';
import { driveServer, ruleOf, subscriptionOf, tenantView } from '../server/driven-server.js';

const GENERIC = ruleOf({ ruleId: 'g1', name: 'generic' });

/** A server with a subscription to its own rule and one to a generic rule. `generic`: the tenant's rules now. */
function finder(generic: readonly Rule[]) {
  const server = driveServer();
  server.addRule(ruleOf());
  server.subscribe(subscriptionOf());
  server.subscribe(subscriptionOf({ id: 's2', ruleId: 'g1' }), { tenant: tenantView(1, [GENERIC]) });
  const find = findBoundRule({
    server: async (_tenant, serverId) => (serverId === 'web-1' ? server.context : undefined),
    tenant: () => tenantView(1, generic),
  });
  return (id: string, serverId = 'web-1') => find('acme', serverId, id);
}

describe('a subscription with its rule', () => {
  it('is found for a rule of the server and for one of the tenant', async () => {
    const find = finder([GENERIC]);
    expect((await find('s1')).rule).to.deep.equal(ruleOf());
    expect((await find('s2')).rule).to.deep.equal(GENERIC);
    expect((await find('s2')).subscription.id).to.equal('s2');
  });

  it('is unknown once its generic rule was removed, even if its server has not ended it yet', async () => {
    const find = finder([]);
    expect((await rejectionOf(find('s2'))).message).to.equal(
      'subscriptionId: no subscription s2 on this server',
    );
    expect((await find('s1')).rule.ruleId).to.equal('r1');
  });

  it('is unknown on another server', async () => {
    const find = finder([GENERIC]);
    expect((await rejectionOf(find('s1', 'web-2'))).message).to.contain('no subscription s1');
    expect((await rejectionOf(find('s3'))).message).to.contain('no subscription s3');
  });
});
