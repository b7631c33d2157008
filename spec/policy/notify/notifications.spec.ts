import { expect } from 'chai';
import type { Refusal } from '../../../src/errors.js';
import { createNotifications } from '../../../src/policy/notify/notifications.js';
import type { Servers } from '../../../src/policy/server/servers.js';
import { rejectionOf } from '../../rejection.js';
import { DRAFT, policyScene, withRule } from '../policy-scene.js';
import type { PolicyScene } from '../policy-scene.js';

describe('a notification of several servers', () => {
  let scene: PolicyScene;
  beforeEach(async () => {
    scene = await policyScene({ fed: false });
  });
  afterEach(() => scene.close());

  const of = (serverId: string, count: number) => ({
    serverId,
    facts: { measures: Array.from({ length: count }, () => ({ cpu: 1 })), source: undefined },
  });

  it('says which server refused after the check, and how many others took their facts', async () => {
    const { servers } = scene.policy;
    const ruleId = await scene.policy.genericRules.add('acme', DRAFT);
    // Somebody subscribes between the check and the facts.
    const facts: Servers['facts'] = async (tenantId, serverId, given) => {
      if (serverId === 'web-1') {
        await scene.add({ ruleId, url: 'https://example.org/1' });
        await scene.add({ ruleId, url: 'https://example.org/2' });
      }
      return servers.facts(tenantId, serverId, given);
    };
    const notifications = createNotifications({ ...servers, facts });
    const all = [of('a', 1), of('web-1', 501), of('b', 2)];
    const refusal = (await rejectionOf(notifications.take('acme', all))) as Refusal;
    expect(refusal.code).to.equal('too-large');
    expect(refusal.message).to.match(
      /^server web-1: .*at most 500 elements.*; 2 other servers took their facts$/,
    );
    expect((await servers.read('acme', 'a'))?.factId).to.equal(1);
    expect((await servers.read('acme', 'b'))?.factId).to.equal(2);
    expect((await scene.server())?.factId).to.equal(0);
  });

  it('counts nothing on a server that another subscription at the broker feeds', async () => {
    await scene.close();
    scene = await policyScene();
    const { wanted } = await withRule(scene);
    const first = await scene.get(await scene.add(wanted));
    const second = await scene.get(await scene.add({ ...wanted, url: 'https://example.org/2' }));
    const take = (source: string | undefined) => {
      const facts = { measures: [{ cpu: 1 }], source };
      return scene.policy.notifications.take('acme', [
        { serverId: 'web-1', facts },
        { serverId: 'web-2', facts },
      ]);
    };
    expect(await take(second.broker!.id)).to.deep.include({ facts: 1, servers: 1 });
    expect((await scene.server())?.factId).to.equal(0);
    expect(await take(first.broker!.id)).to.deep.include({ facts: 2, servers: 2 });
    expect(await take(undefined)).to.deep.include({ facts: 2, servers: 2 });
    expect((await scene.server())?.factId).to.equal(2);
  });
});
