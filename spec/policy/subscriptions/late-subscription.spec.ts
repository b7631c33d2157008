import { expect } from 'chai';
import { startActors } from '../../../src/actors/runtime.js';
import type { Actors } from '../../../src/actors/kind.js';
import { remainsIn } from '../server-remains.js';
import { createPolicy, type Policy, policyKinds } from '../../../src/policy/policy.js';
import { actorId } from '../../../src/store/port.js';
import { memoryStore, type MemoryStore } from '../../actors/stage/memory-store.js';
import { until } from '../../actors/stage/queue.js';
import { freeDeliveries } from '../../delivery/queue/free-permits.js';
import { refusedLater } from '../http/refused.js';
import { ADDRESS, ruleOf, SETTINGS } from '../server/driven-server.js';
import { openQuietPlans } from '../../../src/policy/quiet/plans.js';
import { specSeal } from '../../delivery/spec-seal.js';

const { ruleId: _, ...DRAFT } = ruleOf({ repeat: 0 });
const HOOK = 'https://example.org/hook';
const ABOVE_10 = { cpu: { value: 10, operand: 'greater' } } as const;
const ABOVE_20 = { cpu: { value: 20, operand: 'greater' } } as const;

/** Holds back the commits of the server `web-1`, until the returned function is called. */
function holdServer(store: MemoryStore): { readonly held: () => boolean; readonly release: () => void } {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  let holds = false;
  store.between.commit = async (batch, apply) => {
    if (batch.some(({ id }) => id === actorId(ADDRESS))) {
      holds = true;
      await released;
    }
    return apply();
  };
  return {
    held: () => holds,
    release: () => {
      store.between.commit = (_batch, apply) => Promise.resolve(apply());
      release();
    },
  };
}

describe('a server whose copy of its tenant is old', () => {
  let nodes: Actors[] = [];
  let ids = 0;
  afterEach(async () => {
    await Promise.all(nodes.map((actors) => actors.close()));
    nodes = [];
  });

  /** Starts a node. A node trusts a copy of its tenant for as long as the spec takes, or for `freshMs`. */
  async function node(store: MemoryStore, freshMs = 600_000): Promise<Policy> {
    const now = Date.now;
    const plans = openQuietPlans(now);
    const remains = remainsIn(store, now);
    const actors: Actors = startActors({
      store,
      now,
      limits: { freshMs, sweepMs: 600_000 },
      kinds: policyKinds({
        store,
        now,
        settings: SETTINGS,
        deliveries: freeDeliveries(() => actors),
        broker: undefined,
        plans,
        remains,
      }),
    });
    nodes.push(actors);
    const newId = () => `id${(ids += 1)}`;
    const policy = createPolicy({
      store,
      now,
      actors,
      newId,
      broker: undefined,
      plans,
      remains,
      webhookMaster: Buffer.alloc(32),
      headerSeal: specSeal,
      publicUrl: () => 'http://localhost',
    });
    await policy.tenants.seen({ id: 'acme', name: 'Acme' });
    await policy.tenants.resize('acme', 1);
    return policy;
  }

  const noticed = (policy: Policy) =>
    until(async () => (await policy.tenants.read('acme')).outbox.length === 0);
  const serverOf = async (policy: Policy) => (await policy.servers.read('acme', 'web-1'))!;
  const fact = (policy: Policy, cpu: number) =>
    policy.servers.facts('acme', 'web-1', { measures: [{ cpu }], source: undefined });
  const subscribe = (policy: Policy, ruleId: string) =>
    policy.subscriptions.add('acme', 'web-1', { ruleId, url: HOOK });

  for (const list of ['server', 'tenant'] as const) {
    const add = async (policy: Policy): Promise<string> =>
      list === 'tenant'
        ? policy.genericRules.add('acme', DRAFT)
        : (await policy.servers.addRules('acme', 'web-1', [DRAFT]))[0]!;

    it(`has a subscription to a rule of its ${list} that another node has just made`, async () => {
      const documents = memoryStore({ shared: true });
      const [here, there] = [await node(documents), await node(documents)];
      await subscribe(here, await add(here));
      await subscribe(here, await add(there));
      expect((await serverOf(here)).subscriptions).to.have.length(2);
    });

    it(`shows and changes a rule of its ${list} that another node has just made, and a subscription to it`, async () => {
      const documents = memoryStore({ shared: true });
      const [here, there] = [await node(documents), await node(documents)];
      await subscribe(here, await add(here));
      const ruleId = await add(there);
      const change = { condition: { disk_io: { value: 5, operand: 'greater' as const } } };
      if (list === 'tenant') {
        expect(await here.genericRules.get('acme', ruleId)).to.have.property('ruleId', ruleId);
        await here.genericRules.change('acme', ruleId, change);
      } else {
        expect(await here.servers.rule('acme', 'web-1', ruleId)).to.have.property('ruleId', ruleId);
        await here.servers.changeRule('acme', 'web-1', ruleId, change);
      }
      const id = await subscribe(there, ruleId);
      expect((await here.subscriptions.get('acme', 'web-1', id)).subscription).to.have.property('id', id);
    });
  }

  for (const shared of [false, true]) {
    const store = (): MemoryStore => memoryStore({ shared });
    const where = shared ? 'a shared store' : 'one node';

    it(`has no subscription to a rule that was removed during its commit: 404, on ${where}`, async () => {
      const documents = store();
      const policy = await node(documents);
      const ruleId = await policy.genericRules.add('acme', DRAFT);
      const { held, release } = holdServer(documents);
      const refusal = refusedLater(subscribe(policy, ruleId));
      await until(async () => held());
      await policy.genericRules.remove('acme', ruleId);
      await noticed(policy);
      release();
      expect(await refusal).to.deep.include({ code: 'not-found' });
      expect((await refusal).message).to.contain(`has a rule ${ruleId}`);
      expect((await serverOf(policy)).subscriptions).to.deep.equal([]);
    });

    it(`has the timer of a rule that was changed during its commit, on ${where}`, async () => {
      const documents = store();
      const policy = await node(documents);
      const ruleId = await policy.genericRules.add('acme', DRAFT);
      const { held, release } = holdServer(documents);
      const id = subscribe(policy, ruleId);
      await until(async () => held());
      await policy.genericRules.change('acme', ruleId, { noData: 60 });
      await noticed(policy);
      release();
      await id;
      const { subscriptions, noDataAt } = await serverOf(policy);
      expect(noDataAt).to.equal(subscriptions[0]!.at + 60_000);
    });
  }

  it('has no subscription to a rule that another node removed before: 404', async () => {
    const store = memoryStore({ shared: true });
    const left = await node(store);
    const ruleId = await left.genericRules.add('acme', DRAFT);
    const late = await node(store);
    expect(await late.genericRules.list('acme')).to.have.length(1);
    await left.genericRules.remove('acme', ruleId);
    expect((await refusedLater(subscribe(late, ruleId))).code).to.equal('not-found');
    expect(await late.servers.read('acme', 'web-1')).to.equal(undefined);
  });

  it('never evaluates a rule as it was before: nothing fires twice', async () => {
    const store = memoryStore({ shared: true });
    const left = await node(store);
    const ruleId = await left.genericRules.add('acme', { ...DRAFT, condition: ABOVE_10 });
    const right = await node(store);
    await subscribe(left, ruleId);
    expect(await fact(right, 90)).to.deep.include({ fired: 1 });
    await left.genericRules.change('acme', ruleId, { condition: ABOVE_20 });
    await noticed(left);
    expect(await fact(left, 90)).to.deep.include({ fired: 1 });
    // The right node still trusts its copy of the tenant, with the condition from before.
    expect(await fact(right, 90)).to.deep.include({ fired: 0 });
    expect(await fact(left, 90)).to.deep.include({ fired: 0 });
  });

  it('knows both of two changes that are sent at once, in either order', async () => {
    const store = memoryStore({ shared: true });
    const policy = await node(store, 0);
    const ruleId = await policy.genericRules.add('acme', { ...DRAFT, condition: ABOVE_20 });
    await subscribe(policy, ruleId);
    await fact(policy, 90);
    const changes = [ABOVE_10, ABOVE_20].map((condition) =>
      policy.genericRules.change('acme', ruleId, { condition }),
    );
    await Promise.all(changes);
    await noticed(policy);
    expect(await fact(policy, 90)).to.deep.include({ fired: 0 });
  });

  it('takes an older version of its tenant if the store has no later one', async () => {
    const store = memoryStore({ shared: true });
    const policy = await node(store, 0);
    const key = 'tenant/acme/tenant';
    const ruleId = await policy.genericRules.add('acme', DRAFT);
    const backup = store.documents.get(key)!;
    await policy.genericRules.change('acme', ruleId, { name: 'later' });
    await subscribe(policy, ruleId);
    store.documents.set(key, { ...backup, revision: store.documents.get(key)!.revision });
    expect(await fact(policy, 90)).to.deep.include({ counted: true, fired: 1 });
  });

  describe('and has a subscription without a rule', () => {
    /** A server as a service left it that knew nothing of versions. */
    async function orphaned(): Promise<Policy> {
      const store = memoryStore();
      const policy = await node(store);
      const ruleId = await policy.genericRules.add('acme', DRAFT);
      await subscribe(policy, ruleId);
      await nodes.pop()!.close();
      const [tenant, server] = ['tenant/acme/tenant', actorId(ADDRESS)].map((id) => ({
        id,
        stored: store.documents.get(id)!,
      }));
      const context = { ...(JSON.parse(tenant!.stored.frequent) as object), rules: [], version: undefined };
      store.documents.set(tenant!.id, { ...tenant!.stored, version: 1, frequent: JSON.stringify(context) });
      const frequent = { ...(JSON.parse(server!.stored.frequent) as object), tenantVersion: undefined };
      store.documents.set(server!.id, { ...server!.stored, frequent: JSON.stringify(frequent) });
      const restarted = await node(store);
      expect((await serverOf(restarted)).subscriptions).to.have.length(1);
      return restarted;
    }
    const idOf = async (policy: Policy) => (await serverOf(policy)).subscriptions[0]!.id;

    for (const [operation, ask] of [
      [16, 'remove'],
      [17, 'get'],
    ] as const) {
      it(`ends it with operation ${operation}, which is 404`, async () => {
        const policy = await orphaned();
        const asked = policy.subscriptions[ask]('acme', 'web-1', await idOf(policy));
        expect((await refusedLater(asked)).code).to.equal('not-found');
        expect((await serverOf(policy)).subscriptions).to.deep.equal([]);
      });
    }

    it('ends it with its next fact', async () => {
      const policy = await orphaned();
      await fact(policy, 1);
      expect((await serverOf(policy)).subscriptions).to.deep.equal([]);
    });
  });
});
