import { expect } from 'chai';
import { BrokerUnavailable } from '../../../src/broker/port.js';
import { DRAFT, policyScene, type PolicyScene, URL_1, withRule } from '../policy-scene.js';
import { refusedLater } from '../http/refused.js';

const scenes: PolicyScene[] = [];

async function open(options?: Parameters<typeof policyScene>[0]): Promise<PolicyScene> {
  const scene = await policyScene(options);
  scenes.push(scene);
  return scene;
}

describe('subscriptions', () => {
  afterEach(async () => {
    for (const scene of scenes.splice(0)) await scene.close();
  });

  describe('that end', () => {
    it('are ended at the broker', async () => {
      const { scene, wanted } = await withRule(await open());
      await scene.remove(await scene.add(wanted));
      await scene.outboxEmpty();
      expect(scene.broker.held).to.be.empty;
      expect((await refusedLater(scene.get('b1'))).code).to.equal('not-found');
    });

    it('are ended at the broker with their rule', async () => {
      const { scene, wanted } = await withRule(await open());
      await Promise.all([1, 2, 3].map((i) => scene.add({ ...wanted, url: `https://example.org/${i}` })));
      await scene.policy.servers.removeRule('acme', 'web-1', wanted.ruleId);
      await scene.outboxEmpty();
      expect(scene.broker.held).to.be.empty;
    });

    it('are ended with their generic rule on every server; those of other rules stay', async () => {
      const scene = await open();
      const ruleId = await scene.policy.genericRules.add('acme', DRAFT);
      const other = await scene.policy.genericRules.add('acme', DRAFT);
      for (const name of ['web-1', 'web-2']) {
        await scene.policy.subscriptions.add('acme', name, { ruleId, url: URL_1 });
      }
      const kept = await scene.add({ ruleId: other, url: URL_1 });
      await scene.policy.genericRules.remove('acme', ruleId);
      expect((await refusedLater(scene.get('b1'))).code).to.equal('not-found');
      expect((await refusedLater(scene.add({ ruleId, url: URL_1 }))).code).to.equal('not-found');
      await scene.until(async () => scene.broker.held.size === 1);
      expect([...scene.broker.held.keys()]).to.deep.equal([kept]);
      await scene.until(async () => (await scene.policy.tenants.read('acme')).outbox.length === 0);
      expect((await scene.server())!.subscriptions.map(({ id }) => id)).to.deep.equal([kept]);
      expect((await scene.policy.servers.read('acme', 'web-2'))!.subscriptions).to.be.empty;
    });

    it('are ended at the broker later if it is unavailable at first', async () => {
      const { scene, wanted } = await withRule(await open());
      const id = await scene.add(wanted);
      scene.broker.fault = new BrokerUnavailable('down');
      await scene.remove(id);
      expect(await scene.failed.next()).to.equal('effect unsubscribe');
      expect((await refusedLater(scene.get(id))).code).to.equal('not-found');
      scene.toNextRetry();
      expect(await scene.failed.next()).to.equal('effect unsubscribe');
      scene.broker.fault = undefined;
      expect(scene.broker.held).to.have.keys('b1');
      scene.toNextRetry();
      await scene.outboxEmpty();
      expect(scene.broker.held).to.be.empty;
    });

    it('are ended at the broker after a restart if it was unavailable before', async () => {
      const { scene, wanted } = await withRule(await open());
      const id = await scene.add(wanted);
      scene.broker.fault = new BrokerUnavailable('down');
      await scene.remove(id);
      await scene.failed.next();
      scene.broker.fault = undefined;
      await scene.restart();
      await scene.outboxEmpty();
      expect(scene.broker.held).to.be.empty;
    });
  });

  describe('that expire at the broker', () => {
    const DAY = 86_400_000;

    it('are renewed before they expire', async () => {
      const { scene, wanted } = await withRule(await open());
      scene.broker.expiresAt = scene.now + DAY;
      const id = await scene.add(wanted);
      expect(await scene.broker.requests.next()).to.equal('subscribe');
      scene.broker.expiresAt = scene.now + 2 * DAY;
      scene.now += DAY - 3_600_000;
      expect(await scene.broker.requests.next()).to.equal(`renew ${id}`);
      await scene.outboxEmpty();
      expect((await scene.get(id)).broker).to.deep.equal({
        id,
        expiresAt: scene.broker.expiresAt,
        checkedAt: scene.now,
      });
    });

    it('are replaced within an hour if the broker has lost them, and keep their id', async () => {
      const { scene, wanted } = await withRule(await open());
      scene.broker.expiresAt = scene.now + DAY;
      const id = await scene.add(wanted);
      scene.broker.held.clear();
      scene.now += DAY / 24;
      await scene.until(async () => (await scene.get(id)).broker?.id === 'b2');
      await scene.remove(id);
      await scene.outboxEmpty();
      expect(scene.broker.held).to.be.empty;
    });
  });
});
