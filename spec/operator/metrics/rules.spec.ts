import { expect } from 'chai';
import { addRule, addSubscribedRule, arrived, cpu, subscribe, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { scrape, scrapeUntil } from '../scrape.js';

const NEVER = {
  name: 'never',
  condition: { cpu: { value: 99, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

describe('the metrics of measurements and rules', () => {
  const open = scenes();

  it('count facts, evaluations with full windows, firings and transitions', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    const before = await scrape(url);
    for (const name of ['facts', 'evaluations', 'firings', 'transitions'])
      expect(before.sum(`mirzam_${name}_total`), name).to.equal(0);

    await windowSize(api, 2);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    await subscribe(api, 'web-1', await addRule(api, 'web-1', NEVER), receiver.origin);
    // Without a subscription a rule is not evaluated.
    await addRule(api, 'web-1');
    for (const value of [1, 2, 3]) await cpu(api, 'web-1', value);
    await arrived(receiver, 2);

    const after = await scrape(url);
    expect(after.sum('mirzam_facts_total')).to.equal(3);
    expect(after.sum('mirzam_evaluations_total')).to.equal(4);
    expect(after.sum('mirzam_firings_total')).to.equal(2);
    await scrapeUntil(url, ({ sum }) => expect(sum('mirzam_transitions_total')).to.be.at.least(2));
  });
});
