import { expect } from 'chai';
import { METRICS, OPERANDS } from '../../../src/policy/rules/condition.js';
import { pageModule } from './page-module.js';

type Members = Readonly<Record<string, unknown>>;
interface EditedRule {
  readonly ruleId: string;
  readonly name: string;
  readonly condition: Members;
  readonly action: Members;
}
type RuleDraft = Members & { readonly comparisons: readonly Members[] };
type RuleBody = Members;

/** What the forms use of `rule-draft.ts`. */
interface Drafts {
  readonly METRICS: readonly string[];
  readonly OPERANDS: readonly (readonly [operand: string, words: string])[];
  emptyDraft(): RuleDraft;
  draftOf(rule: EditedRule): RuleDraft;
  ruleIn(draft: RuleDraft): RuleBody;
  changeIn(draft: RuleDraft, rule: EditedRule): RuleBody | undefined;
  fieldsOf(draft: RuleDraft): readonly string[];
}

const SCALE: EditedRule = {
  ruleId: 'r1',
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' }, mem: { value: 70, operand: 'less equal' } },
  action: { actionName: 'notify-scale', operation: 'scaleDown' },
};
const EMAIL: EditedRule = {
  ...SCALE,
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'two\nlines' },
};

describe('draft of a rule', () => {
  let drafts: Drafts;
  before(async () => {
    drafts = (await pageModule('forms/rule-draft.ts')) as unknown as Drafts;
  });

  it('has the metrics and operands of the policy API', () => {
    expect(drafts.METRICS).to.deep.equal(METRICS);
    expect(drafts.OPERANDS.map(([operand]) => operand)).to.have.members(OPERANDS);
  });

  it('says the rule that it was made of', () => {
    for (const rule of [SCALE, EMAIL]) {
      const { ruleId: _, ...body } = rule;
      expect(drafts.ruleIn(drafts.draftOf(rule))).to.deep.equal(body);
      expect(drafts.changeIn(drafts.draftOf(rule), rule)).to.equal(undefined);
    }
  });

  it('changes the members that differ, and no others', () => {
    const draft = drafts.draftOf(SCALE);
    expect(drafts.changeIn({ ...draft, name: 'busier' }, SCALE)).to.deep.equal({ name: 'busier' });
    const comparisons = [{ ...draft.comparisons[0]!, value: '90' }];
    expect(drafts.changeIn({ ...draft, comparisons }, SCALE)).to.deep.equal({
      condition: { cpu: { value: 90, operand: 'greater' } },
    });
    expect(drafts.changeIn({ ...draft, sends: 'email', email: 'a@b.c' }, SCALE)).to.deep.equal({
      action: { actionName: 'notify-email', email: 'a@b.c', body: '' },
    });
  });

  it('sends a value that is no number as it was typed', () => {
    const valueOf = (value: string): unknown => {
      const rule = drafts.ruleIn({
        ...drafts.emptyDraft(),
        comparisons: [{ metric: 'cpu', operand: 'greater', value }],
      });
      return (rule['condition'] as { cpu: { value: unknown } }).cpu.value;
    };
    expect(['85', ' 8.5 ', '-1', '1e2', '.5'].map(valueOf)).to.deep.equal([85, 8.5, -1, 100, 0.5]);
    expect(['', ' ', '85,5', '0x10', 'Infinity', '1e999', '85%'].map(valueOf)).to.deep.equal([
      '',
      ' ',
      '85,5',
      '0x10',
      'Infinity',
      '1e999',
      '85%',
    ]);
  });

  it('names its fields as the service names them in its problems', () => {
    expect(drafts.fieldsOf(drafts.emptyDraft())).to.include.members([
      'name',
      'condition',
      'condition.cpu.value',
      'action.operation',
    ]);
  });
});
