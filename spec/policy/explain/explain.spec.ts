import { expect } from 'chai';
import type { Measures } from '../../../src/policy/rules/metrics.js';
import type { ExplainedSubscription, Explanation } from '../../../src/policy/explain/shapes.js';
import { policyScene, type PolicyScene, URL_1, withRule } from '../policy-scene.js';
import { NOON } from '../server/driven-server.js';

const MINUTE = 60_000;

describe('the explanation of a rule', () => {
  let scene: PolicyScene;
  let wanted: { readonly ruleId: string; readonly url: string };
  /** A server with a rule that holds above 80 % cpu, and windows of two values. */
  beforeEach(async () => {
    ({ scene, wanted } = await withRule(await policyScene({ fed: false })));
    await scene.policy.tenants.resize('acme', 2);
  });
  afterEach(() => scene.close());

  const measure = async (...measures: Measures[]): Promise<void> => {
    await scene.policy.servers.facts('acme', 'web-1', { measures, source: undefined });
  };
  const explain = (ruleId = wanted.ruleId): Promise<Explanation> =>
    scene.policy.explain.rule('acme', 'web-1', ruleId);
  const only = async (): Promise<ExplainedSubscription> => {
    const { subscriptions } = await explain();
    expect(subscriptions).to.have.length(1);
    return subscriptions[0]!;
  };
  const sentence = async (): Promise<string> => (await only()).sentence;
  const history = (limit = 50) => scene.policy.explain.history('acme', 'web-1', limit);
  const moves = async () => (await history()).map(({ from, to, factId }) => [from, to, factId]);

  it('has the time of the last fact whatever it carried, also without its window', async () => {
    scene.now = NOON + MINUTE;
    await measure({ queue: 5 });
    const lastFact = { id: 1, at: new Date(NOON + MINUTE).toISOString() };
    expect((await explain()).lastFact).to.deep.equal(lastFact);
    scene.now = NOON + 2 * MINUTE;
    await scene.add(wanted);
    expect((await explain()).lastFact).to.deep.equal(lastFact);
  });

  it('says that a pause emptied a window, until it is full again', async () => {
    await scene.add(wanted);
    await measure({ cpu: 90 }, { cpu: 92 });
    scene.now = NOON + 412_000;
    await measure({ mem: 5 });
    expect(await sentence()).to.equal(
      'Not evaluated: the window of cpu holds 0 of 2 values, emptied by a pause of 412 s.',
    );
    await measure({ cpu: 91 });
    const { windows, subscriptions } = await explain();
    expect(windows).to.deep.equal({
      cpu: { size: 2, values: [91], emptied: new Date(NOON + 412_000).toISOString() },
    });
    expect(subscriptions[0]).to.include({
      state: 'filling',
      since: null,
      sentence: 'Not evaluated: the window of cpu holds 1 of 2 values, emptied by a pause of 412 s.',
      firings: 1,
    });
    expect(subscriptions[0]!.comparisons).to.deep.equal([
      { metric: 'cpu', aggregate: 'mean', result: null, operand: 'greater', value: 80, holds: null },
    ]);
    await measure({ cpu: 93 });
    expect((await explain()).windows).to.deep.equal({ cpu: { size: 2, values: [91, 93] } });
  });

  it('keeps the start of a period through a pause if the next evaluation holds', async () => {
    await scene.add(wanted);
    await measure({ cpu: 90 }, { cpu: 92 });
    scene.now = NOON + 10 * MINUTE;
    await measure({ cpu: 94 }, { cpu: 96 });
    expect(await only()).to.include({
      state: 'firing',
      since: new Date(NOON).toISOString(),
      sentence: 'Holds since 2026-01-15T12:00:00Z: the mean of cpu is 95, greater than 80.',
      firings: 2,
    });
    expect(await moves()).to.deep.equal([
      ['filling', 'firing', 4],
      ['firing', 'filling', 3],
      ['filling', 'firing', 2],
    ]);
  });

  it('ends a period after a pause if the next evaluation does not hold', async () => {
    await scene.add(wanted);
    await measure({ cpu: 90 }, { cpu: 92 });
    scene.now = NOON + 10 * MINUTE;
    await measure({ cpu: 1 }, { cpu: 2 });
    expect(await only()).to.include({ state: 'calm', since: null });
    scene.now += MINUTE;
    await measure({ cpu: 100 }, { cpu: 100 });
    expect((await only()).since).to.equal(new Date(NOON + 11 * MINUTE).toISOString());
  });

  it('starts anew with another condition, and keeps all with the same one, a name or an action', async () => {
    await scene.add(wanted);
    await measure({ cpu: 90, mem: 10 }, { cpu: 92, mem: 10 });
    const before = await only();
    const change = (to: object) => scene.policy.servers.changeRule('acme', 'web-1', wanted.ruleId, to);
    await change({ name: 'other', action: { actionName: 'x', operation: 'scaleDown' } });
    await change({ condition: { cpu: { operand: 'greater', value: 80 } } });
    expect(await only()).to.deep.equal(before);

    const both = { cpu: { value: 80, operand: 'greater' }, mem: { value: 5, operand: 'less equal' } };
    await change({ condition: both });
    expect(await only()).to.include({
      state: 'filling',
      since: null,
      sentence: 'Not evaluated: the windows are full, and the next measurement of cpu or mem decides.',
      firings: 1,
    });
    expect(await moves()).to.deep.equal([
      ['firing', 'filling', null],
      ['filling', 'firing', 2],
    ]);
    await measure({ mem: 10 });
    expect(await sentence()).to.equal('Does not hold: the mean of mem is 10, not at most 5.');
    // Members in another order are the same condition.
    const calm = await only();
    await change({ condition: { mem: both.mem, cpu: both.cpu } });
    expect(await only()).to.deep.equal(calm);
  });

  it('starts anew with another condition of a generic rule, recorded with the next fact', async () => {
    const generic = await scene.policy.genericRules.add('acme', {
      name: 'g',
      condition: { cpu: { value: 50, operand: 'less' } },
      action: { actionName: 'x', operation: 'scaleUp' },
    });
    await scene.add({ ruleId: generic, url: URL_1 });
    await measure({ cpu: 90 }, { cpu: 92 });
    const change = { condition: { cpu: { value: 50, operand: 'greater equal' } } } as const;
    await scene.policy.genericRules.change('acme', generic, change);
    const [filling] = (await explain(generic)).subscriptions;
    expect(filling).to.include({ state: 'filling', since: null });
    expect(filling!.sentence).to.equal(
      'Not evaluated: the windows are full, and the next measurement of cpu decides.',
    );
    await measure({ mem: 1 }, { cpu: 50 });
    expect(await moves()).to.deep.equal([
      ['filling', 'firing', 4],
      ['calm', 'filling', null],
      ['filling', 'calm', 2],
    ]);
    expect((await explain(generic)).subscriptions[0]!.sentence).to.equal(
      'Holds since 2026-01-15T12:00:00Z: the mean of cpu is 71, at least 50.',
    );
  });

  it('follows the size of the windows at once, and keeps what the last evaluation said', async () => {
    await scene.add(wanted);
    await measure({ cpu: 70 }, { cpu: 99 });
    expect(await only()).to.include({ state: 'firing' });
    await scene.policy.tenants.resize('acme', 1);
    expect((await explain()).windows).to.deep.equal({ cpu: { size: 1, values: [99] } });
    expect(await sentence()).to.equal(
      'Holds since 2026-01-15T12:00:00Z: the mean of cpu is 84.5, greater than 80.',
    );
    await scene.policy.tenants.resize('acme', 5);
    expect((await explain()).windows).to.deep.equal({ cpu: { size: 5, values: [99] } });
    expect(await sentence()).to.equal('Not evaluated: the window of cpu holds 1 of 5 values.');
    // Cut by the size between, and not evaluated since.
    await scene.policy.tenants.resize('acme', 1);
    await measure({ mem: 1 });
    expect((await explain()).windows).to.deep.equal({ cpu: { size: 1, values: [99] } });
    expect(await sentence()).to.equal(
      'Not evaluated: the windows are full, and the next measurement of cpu decides.',
    );
    await measure({ cpu: 98 });
    expect((await only()).since).to.equal(new Date(NOON).toISOString());
  });

  it('counts what a suspension drops, and says since when it lasts', async () => {
    const id = await scene.add(wanted);
    await measure({ cpu: 90 }, { cpu: 92 });
    await scene.policy.servers.ask('acme', 'web-1', {
      type: 'suspend',
      now: scene.now,
      subscriptionId: id,
      since: NOON + 1_999,
      refused: { deliveryId: 'msg_x', factId: 0 },
    });
    scene.now += MINUTE;
    await measure({ cpu: 1 }, { cpu: 1 }, { cpu: 99 }, { cpu: 99 });
    expect(await only()).to.deep.include({
      state: 'firing',
      since: new Date(NOON + MINUTE).toISOString(),
      sentence:
        'Suspended since 2026-01-15T12:00:01Z, its receiver refused. ' +
        'Holds since 2026-01-15T12:01:00Z: the mean of cpu is 99, greater than 80.',
      firings: 1,
      unsent: 1,
      suspended: new Date(NOON + 1_999).toISOString(),
    });
    expect((await history())[0]!.sentence).to.equal(await sentence());
    await scene.add(wanted);
    const resumed = await only();
    expect(resumed).to.include({ state: 'firing', firings: 1, unsent: 1 });
    expect(resumed).not.to.have.property('suspended');
    expect(resumed.sentence).to.match(/^Holds since/);
  });

  it('is the same after a restart, and so is the history', async () => {
    await scene.add(wanted);
    await measure({ cpu: 90 }, { cpu: 92 }, { cpu: 1 }, { cpu: 100 });
    scene.now = NOON + 412_000;
    await measure({ mem: 1 });
    const [before, past] = [await explain(), await history()];
    await scene.restart();
    expect(await explain()).to.deep.equal(before);
    expect(await history()).to.deep.equal(past);
    await scene.until(async () => !(await scene.server())!.outbox.some(({ type }) => type === 'record'));
    await scene.restart();
    expect(await explain()).to.deep.equal(before);
    expect(await history()).to.deep.equal(past);
  });

  it('covers every rule of the server and every generic rule that it subscribes to', async () => {
    const generic = await scene.policy.genericRules.add('acme', {
      name: 'g',
      condition: { net: { value: 50, operand: 'less' } },
      action: { actionName: 'x', operation: 'scaleUp' },
    });
    await scene.add({ ruleId: generic, url: URL_1 });
    await scene.policy.genericRules.add('acme', {
      name: 'unused',
      condition: { net: { value: 50, operand: 'less' } },
      action: { actionName: 'x', operation: 'scaleUp' },
    });
    const most = { rules: 100, subscriptions: 10 };
    const { explanations: all } = await scene.policy.explain.server('acme', 'web-1', most);
    expect(all.map(({ ruleId }) => ruleId)).to.deep.equal([wanted.ruleId, generic]);
    expect(all[0]).to.deep.equal(await explain());
    expect(all[1]).to.deep.equal(await explain(generic));
  });

  it('of all rules of the server has the first subscriptions of each, each with its own state', async () => {
    await scene.add(wanted);
    await scene.add({ ...wanted, url: 'https://example.org/2' });
    const rule = { name: 'net', condition: { net: { value: 50, operand: 'less' } } } as const;
    const action = { actionName: 'x', operation: 'scaleUp' } as const;
    const generic = await scene.policy.genericRules.add('acme', { ...rule, action });
    await scene.add({ ruleId: generic, url: URL_1 });
    await measure({ cpu: 90 }, { cpu: 92 });
    const first = { rules: 100, subscriptions: 1 };
    const { explanations } = await scene.policy.explain.server('acme', 'web-1', first);
    expect(explanations.map(({ subscriptions }) => subscriptions.map(({ state }) => state))).to.deep.equal([
      ['firing'],
      ['filling'],
    ]);
  });

  it('forgets the states of a subscription that ended, not its history', async () => {
    const id = await scene.add(wanted);
    await measure({ cpu: 90 }, { cpu: 92 });
    await scene.remove(id);
    expect((await scene.server())!.states).to.deep.equal([]);
    expect((await explain()).sentence).to.equal(
      'Not evaluated: no subscription of this server has this rule.',
    );
    expect((await history()).map(({ subscriptionId }) => subscriptionId)).to.deep.equal([id]);
  });
});
