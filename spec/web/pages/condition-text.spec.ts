import { expect } from 'chai';
import { type Condition, conditionText as textOfMails } from '../../../src/policy/rules/condition.js';
import { pageModule } from '../forms/page-module.js';

interface ConditionText {
  conditionText(condition: Condition): string;
}

const CONDITIONS: readonly Condition[] = [
  { mem: { value: 70, operand: 'greater equal' }, cpu: { value: 85, operand: 'greater', clear: 70 } },
  // The only member of a group is several comparisons.
  {
    any: [
      { all: [{ cpu: { value: 85, operand: 'greater' }, mem: { value: 70, operand: 'less equal' } }] },
      { not: { net: { value: 5, operand: 'less', aggregate: 'max' } } },
    ],
  },
];

describe('a condition on a page of the console', () => {
  it('has the text of mails, with other signs', async () => {
    const page = (await pageModule('pages/rules/condition-text.ts')) as unknown as ConditionText;
    const texts = CONDITIONS.map((one) => page.conditionText(one));
    expect(texts).to.deep.equal([
      'cpu > 85 (clears at 70) and mem ≥ 70',
      '(cpu > 85 and mem ≤ 70) or not (max of net < 5)',
    ]);
    const signs = (text: string): string => text.replaceAll('≥', '>=').replaceAll('≤', '<=');
    expect(texts.map(signs)).to.deep.equal(CONDITIONS.map((one) => textOfMails(one)));
  });
});
