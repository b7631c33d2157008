import { expect } from 'chai';
import { subscriptionOwner } from '../../../src/policy/subscriptions/subscription-owner.js';
import { policyScene, type PolicyScene, withRule } from '../policy-scene.js';
import { NOON } from '../server/driven-server.js';

describe('the owner of subscriptions', () => {
  let scene: PolicyScene;
  const owner = subscriptionOwner(() => NOON);
  const about = (subscriptionId: string, server = 'web-1') => ({ tenant: 'acme', server, subscriptionId });

  beforeEach(async () => {
    scene = await policyScene({ fed: false });
  });
  afterEach(() => scene.close());

  it('has a subscription until it ends', async () => {
    const { wanted } = await withRule(scene);
    const id = await scene.add(wanted);
    expect(await owner.has(scene.actors, about(id))).to.equal(true);
    await scene.remove(id);
    expect(await owner.has(scene.actors, about(id))).to.equal(false);
  });

  it('has no subscription of an unknown server', async () => {
    expect(await owner.has(scene.actors, about('s1', 'unknown'))).to.equal(false);
  });

  it('suspends a subscription, and ignores one that has ended', async () => {
    const { wanted } = await withRule(scene);
    const id = await scene.add(wanted);
    await owner.suspend(scene.actors, about(id), NOON, { deliveryId: 'msg_x', factId: 0 });
    expect(await scene.get(id)).to.deep.include({ id, suspended: NOON });
    await scene.remove(id);
    await owner.suspend(scene.actors, about(id), NOON, { deliveryId: 'msg_x', factId: 0 });
    expect((await scene.server())?.subscriptions).to.deep.equal([]);
  });
});
