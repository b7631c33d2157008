import { expect } from 'chai';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import type { ExplainedSubscription } from '../../../src/policy/explain/shapes.js';
import { policyScene, type PolicyScene, withRule } from '../policy-scene.js';

const MINUTE = 60_000;
const CPU = { cpu: { value: 80, operand: 'greater' } } as const;

describe('the explanation of a subscription in noData', () => {
  const scenes: PolicyScene[] = [];
  afterEach(() => Promise.all(scenes.splice(0).map((scene) => scene.close())));

  it('has results only if the windows were evaluated before', async () => {
    const { scene, wanted } = await withRule(await policyScene({ fed: false }));
    scenes.push(scene);
    await scene.policy.tenants.resize('acme', 2);
    const { servers } = scene.policy;
    const measure = async (...measures: Measures[]): Promise<void> => {
      await servers.facts('acme', 'web-1', { measures, source: undefined });
    };
    const only = async (): Promise<ExplainedSubscription> =>
      (await scene.policy.explain.rule('acme', 'web-1', wanted.ruleId)).subscriptions[0]!;
    await servers.changeRule('acme', 'web-1', wanted.ruleId, { noData: 10 });
    await measure({ cpu: 90 }, { cpu: 92 });
    await scene.add(wanted);
    const explained = async () => {
      scene.now += MINUTE;
      await scene.until(async () => (await only()).state === 'noData');
      const [{ result, holds }] = (await only()).comparisons as [ExplainedSubscription['comparisons'][0]];
      return { result, holds };
    };
    expect(await explained()).to.deep.equal({ result: null, holds: null });
    await measure({ cpu: 94 });
    expect(await explained()).to.deep.equal({ result: 93, holds: true });
    await measure({ cpu: 10 });
    expect(await explained()).to.deep.equal({ result: 52, holds: false });
    const condition = { mem: { value: 1, operand: 'greater' } } as const;
    await servers.changeRule('acme', 'web-1', wanted.ruleId, { condition });
    await measure({ mem: 1 }, { mem: 1 });
    await servers.changeRule('acme', 'web-1', wanted.ruleId, { condition: CPU });
    expect(await explained()).to.deep.equal({ result: null, holds: null });
  });
});
