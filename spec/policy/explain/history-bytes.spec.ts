import { expect } from 'chai';
import type { Condition } from '../../../src/policy/rules/condition.js';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import { addressOf, type Store } from '../../../src/store/port.js';
import { DRAFT, policyScene, type PolicyScene } from '../policy-scene.js';

const SUBSCRIPTIONS = 20;
const FACTS = 60;

describe('the bytes that facts write which change the state of 20 subscriptions', () => {
  let scene: PolicyScene;
  /** Bytes of texts, by kind of actor. */
  const written = new Map<string, number>();
  const counted = (store: Store): Store => ({
    ...store,
    commit(batch) {
      for (const { id, next } of batch) {
        const { kind } = addressOf(id);
        const bytes = Buffer.byteLength((next?.frequent ?? '') + (next?.rare ?? ''));
        written.set(kind, (written.get(kind) ?? 0) + bytes);
      }
      return store.commit(batch);
    },
  });
  beforeEach(async () => {
    scene = await policyScene({ fed: false, storeOf: counted });
    await scene.policy.tenants.resize('acme', 1);
  });
  afterEach(() => scene.close());

  /** Returns the bytes of each fact. The subscriptions are muted: messages have bytes of their own. */
  const bytesOf = async (condition: Condition, high: Measures, low: Measures) => {
    const { servers, mutes, explain } = scene.policy;
    const [ruleId] = await servers.addRules('acme', 'web-1', [{ ...DRAFT, condition }]);
    for (let i = 0; i < SUBSCRIPTIONS; i += 1) {
      const id = await scene.add({ ruleId: ruleId!, url: `https://example.org/${i}` });
      await mutes.mute({ tenantId: 'acme', serverId: 'web-1', subscriptionId: id }, { for: 3_600 });
    }
    const measure = (measures: Measures) =>
      servers.facts('acme', 'web-1', { measures: [measures], source: undefined });
    await measure(low);
    await scene.outboxEmpty();
    written.clear();
    for (let fact = 0; fact < FACTS; fact += 1) {
      await measure(fact % 2 === 0 ? high : low);
      await scene.outboxEmpty();
    }
    expect(await explain.history('acme', 'web-1', 200)).to.have.length(200);
    return Object.fromEntries([...written].map(([kind, bytes]) => [kind, bytes / FACTS]));
  };

  it('are those of the transitions, however many are kept', async () => {
    const bytes = await bytesOf({ cpu: { value: 50, operand: 'greater' } }, { cpu: 97 }, { cpu: 10 });
    expect(bytes['history']).to.be.below(5_000);
    expect(bytes['server']).to.be.below(8_000);
  });

  it('are hardly more with 32 comparisons of numbers of 309 digits', async () => {
    const metrics = Array.from({ length: 32 }, (_, i) => `metric_${i}`);
    const comparisons = metrics.map((metric) => ({
      [metric]: { value: 1e307, operand: 'greater' } as const,
    }));
    const condition = { all: [{ any: comparisons.slice(0, 16) }, { any: comparisons.slice(16) }] };
    const all = (value: number) => Object.fromEntries(metrics.map((metric) => [metric, value]));
    const bytes = await bytesOf(condition, all(1e308), all(-1e308));
    expect(bytes['history']).to.be.below(12_000);
    expect(bytes['server']).to.be.below(16_000);
  });
});
