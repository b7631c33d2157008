import { expect } from 'chai';
import { BrokerRefused, BrokerUnavailable } from '../../../src/broker/port.js';
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

  describe('without a broker', () => {
    it('get an id from the service, the same for the same rule and url', async () => {
      const { scene, wanted } = await withRule(await open({ fed: false }));
      const id = await scene.add(wanted);
      expect(await scene.add(wanted)).to.equal(id);
      expect(await scene.add({ ...wanted, url: 'https://example.org/2' })).to.not.equal(id);
      expect(await scene.get(id)).to.include({ id, ...wanted });
      expect(scene.broker.requests.size).to.equal(0);
    });

    it('are refused for an unknown rule', async () => {
      const scene = await open({ fed: false });
      const refusal = await refusedLater(scene.add({ ruleId: 'r9', url: URL_1 }));
      expect(refusal.code).to.equal('not-found');
      expect(refusal.message).to.contain('r9');
      expect(await scene.server()).to.equal(undefined);
    });

    it('end once', async () => {
      const { scene, wanted } = await withRule(await open({ fed: false }));
      const id = await scene.add(wanted);
      await scene.remove(id);
      expect((await refusedLater(scene.remove(id))).code).to.equal('not-found');
      expect((await refusedLater(scene.get(id))).code).to.equal('not-found');
      expect((await scene.server())!.outbox).to.be.empty;
    });
  });

  describe('with a broker', () => {
    it('have a subscription there each, and its id', async () => {
      const { scene, wanted } = await withRule(await open());
      expect(await scene.add(wanted)).to.equal('b1');
      expect(await scene.get('b1')).to.deep.include({ id: 'b1', ...wanted });
      expect([...scene.broker.held]).to.deep.equal([
        [
          'b1',
          {
            entityId: 'web-1',
            entityType: 'host',
            attributes: ['cpuLoadPct', 'usedMemPct', 'netLoadPct', 'freeSpacePct'],
            tenant: 't_acme',
            callback: 'https://rules.example.org/v1.0/acme/servers/web-1',
            headers: { 'X-Facts-Key': 'secret' },
          },
        ],
      ]);
      expect(await scene.add({ ...wanted, url: 'https://example.org/2' })).to.equal('b2');
    });

    it('are the same for the same rule and url, without another request to the broker', async () => {
      const { scene, wanted } = await withRule(await open());
      expect(await scene.add(wanted)).to.equal('b1');
      expect(await scene.add(wanted)).to.equal('b1');
      expect(scene.broker.requests.size).to.equal(1);
    });

    it('are resumed if they are suspended, without another request to the broker', async () => {
      const { scene, wanted } = await withRule(await open());
      await scene.add(wanted);
      const suspend = {
        type: 'suspend',
        now: scene.now,
        subscriptionId: 'b1',
        since: scene.now,
        refused: { deliveryId: 'msg_x', factId: 0 },
      } as const;
      await scene.policy.servers.ask('acme', 'web-1', suspend);
      expect(await scene.get('b1')).to.have.property('suspended', scene.now);
      expect(await scene.add(wanted)).to.equal('b1');
      expect(await scene.get('b1')).not.to.have.property('suspended');
      expect(scene.broker.requests.size).to.equal(1);
      await scene.outboxEmpty();
    });

    it('are one for concurrent requests with the same rule and url', async () => {
      const { scene, wanted } = await withRule(await open());
      const ids = await Promise.all(Array.from({ length: 20 }, () => scene.add(wanted)));
      expect(new Set(ids)).to.deep.equal(new Set(['b1']));
      expect(scene.broker.requests.size).to.equal(1);
      expect([...scene.broker.held.keys()]).to.deep.equal(['b1']);
    });

    it('are one for concurrent requests on two nodes, and one at the broker', async () => {
      const { scene, wanted } = await withRule(await open());
      const other = scene.secondPolicy().subscriptions;
      scene.broker.slow = true;
      const both = [scene.add(wanted), other.add('acme', 'web-1', wanted)];
      for (const held of [await scene.broker.waiting.next(), await scene.broker.waiting.next()])
        held.answer();
      const [mine, others] = await Promise.all(both);
      expect(others).to.equal(mine);
      await scene.outboxEmpty();
      expect([...scene.broker.held.keys()]).to.deep.equal([mine]);
      expect((await scene.server())!.subscriptions.map(({ id }) => id)).to.deep.equal([mine]);
    });

    it('are several for concurrent requests with different urls', async () => {
      const { scene, wanted } = await withRule(await open());
      const urls = [1, 2, 3].map((i) => `https://example.org/${i}`);
      const ids = await Promise.all(urls.map((url) => scene.add({ ...wanted, url })));
      expect(new Set(ids).size).to.equal(3);
      expect(scene.broker.held.size).to.equal(3);
    });

    it('are refused for an unknown rule, without a request to the broker', async () => {
      const scene = await open();
      expect((await refusedLater(scene.add({ ruleId: 'r9', url: URL_1 }))).code).to.equal('not-found');
      expect(scene.broker.requests.size).to.equal(0);
    });

    for (const fault of [
      new BrokerUnavailable('connect ECONNREFUSED'),
      new BrokerRefused('400 Bad Request'),
    ]) {
      it(`are refused and change nothing while it answers ${fault.name}, and succeed afterwards`, async () => {
        const { scene, wanted } = await withRule(await open());
        const before = await scene.server();
        scene.broker.fault = fault;
        const refusal = await refusedLater(scene.add(wanted));
        expect(refusal.code).to.equal('unavailable');
        expect(refusal.retryAfterS).to.be.above(0);
        expect(refusal.message).to.contain('nothing was done').and.to.contain(fault.message);
        expect(await scene.server()).to.deep.equal(before);
        scene.broker.fault = undefined;
        expect(await scene.add(wanted)).to.equal('b1');
      });
    }

    it('leave a server unlisted while the result of the request is unknown', async () => {
      const scene = await open();
      const ruleId = await scene.policy.genericRules.add('acme', DRAFT);
      scene.broker.fault = new BrokerUnavailable('no answer', { unsettled: true });
      await refusedLater(scene.add({ ruleId, url: URL_1 }));
      expect((await scene.server())!.outbox.map(({ type }) => type)).to.deep.equal(['retract']);
      expect((await refusedLater(scene.policy.servers.rules('acme', 'web-1'))).code).to.equal('not-found');
      const listed: unknown[] = [];
      for await (const page of scene.policy.listing.servers('acme', () => undefined)) listed.push(...page);
      expect(listed).to.deep.equal([]);
      scene.broker.fault = undefined;
      expect(await scene.add({ ruleId, url: URL_1 })).to.equal('b1');
      expect(await scene.policy.servers.rules('acme', 'web-1')).to.deep.equal([]);
    });

    it('leave a server unknown if the broker refuses', async () => {
      const scene = await open();
      const ruleId = await scene.policy.genericRules.add('acme', DRAFT);
      scene.broker.fault = new BrokerUnavailable('down');
      await refusedLater(scene.add({ ruleId, url: URL_1 }));
      expect(await scene.server()).to.equal(undefined);
    });
  });

  describe('whose rule is removed while the broker answers', () => {
    for (const kind of ['a rule of the server', 'a generic rule'] as const) {
      it(`are refused and ended at the broker: ${kind}`, async () => {
        const scene = await open();
        const { servers, genericRules } = scene.policy;
        const own = kind === 'a rule of the server';
        const [ruleId] = own
          ? await servers.addRules('acme', 'web-1', [DRAFT])
          : [await genericRules.add('acme', DRAFT)];
        scene.broker.slow = true;
        const adding = refusedLater(scene.add({ ruleId: ruleId!, url: URL_1 }));
        const held = await scene.broker.waiting.next();
        await (own ? servers.removeRule('acme', 'web-1', ruleId!) : genericRules.remove('acme', ruleId!));
        held.answer();
        expect((await adding).code).to.equal('not-found');
        await scene.outboxEmpty();
        expect(scene.broker.held).to.be.empty;
        expect((await scene.server())!.subscriptions).to.be.empty;
      });
    }
  });
});
