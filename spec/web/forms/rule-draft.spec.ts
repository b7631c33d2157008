import { expect } from 'chai';
import { AGGREGATES, OPERANDS } from '../../../src/policy/rules/condition.js';
import { METRICS } from '../../../src/policy/rules/metrics.js';
import { pageModule } from './page-module.js';

type Members = Readonly<Record<string, unknown>>;
interface EditedRule {
  readonly ruleId: string;
  readonly name: string;
  readonly condition: Members;
  readonly action: Members;
}
type RuleDraft = Members & {
  readonly group: { readonly joint: string; readonly members: readonly Members[] };
  readonly json?: string;
};
type RuleBody = Members;

/** What the forms use of `condition-draft.ts`. */
interface ConditionDrafts {
  readonly METRICS: readonly string[];
  readonly OPERANDS: readonly (readonly [operand: string, words: string])[];
  readonly AGGREGATES: readonly string[];
  asJson(draft: RuleDraft): RuleDraft;
  asFields(draft: RuleDraft): RuleDraft | undefined;
}

/** What the forms use of `rule-draft.ts`. */
interface Drafts {
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
const PLAIN_OF_ALL_MEMBERS: EditedRule = {
  ...SCALE,
  condition: {
    cpu: { value: 85, operand: 'greater', clear: 70, aggregate: 'max' },
    mem: { value: 70, operand: 'less', aggregate: 'mean' },
    queue: { value: 1e300, operand: 'less equal' },
  },
};
const GROUPED: EditedRule = {
  ...SCALE,
  condition: {
    any: [
      { cpu: { value: 85, operand: 'greater', clear: 70 } },
      { not: { all: [{ cpu: { value: 5, operand: 'less' } }, { net: { value: 1, operand: 'greater' } }] } },
    ],
  },
};
const RULE_OPTIONS: Members = { for: 60, repeat: 0, resolve: true, noData: 300 };
const EMAIL: EditedRule = {
  ...SCALE,
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'two\nlines' },
};

describe('draft of a rule', () => {
  let drafts: Drafts;
  let conditions: ConditionDrafts;
  before(async () => {
    drafts = (await pageModule('forms/rule-draft.ts')) as unknown as Drafts;
    conditions = (await pageModule('forms/condition-draft.ts')) as unknown as ConditionDrafts;
  });

  it('has the metrics, operands and aggregates of the policy API', () => {
    expect(conditions.METRICS).to.deep.equal(METRICS);
    expect(conditions.OPERANDS.map(([operand]) => operand)).to.have.members(OPERANDS);
    expect(conditions.AGGREGATES).to.deep.equal(AGGREGATES);
  });

  it('says the rule that it was made of', () => {
    for (const rule of [SCALE, EMAIL, PLAIN_OF_ALL_MEMBERS, GROUPED, { ...GROUPED, ...RULE_OPTIONS }]) {
      const { ruleId: _, ...body } = rule;
      expect(drafts.ruleIn(drafts.draftOf(rule))).to.deep.equal(body);
      expect(drafts.changeIn(drafts.draftOf(rule), rule)).to.equal(undefined);
    }
  });

  it('changes the members that differ, and no others', () => {
    const draft = drafts.draftOf(SCALE);
    expect(drafts.changeIn({ ...draft, name: 'busier' }, SCALE)).to.deep.equal({ name: 'busier' });
    const group = { joint: 'all', members: [{ ...draft.group.members[0]!, value: '90' }] };
    expect(drafts.changeIn({ ...draft, group }, SCALE)).to.deep.equal({
      condition: { cpu: { value: 90, operand: 'greater' } },
    });
    expect(drafts.changeIn({ ...draft, sends: 'email', email: 'a@b.c' }, SCALE)).to.deep.equal({
      action: { actionName: 'notify-email', email: 'a@b.c', body: '' },
    });
  });

  it('keeps a group of conditions whatever else is changed', () => {
    const draft = drafts.draftOf(GROUPED);
    expect(drafts.changeIn({ ...draft, name: 'busier' }, GROUPED)).to.deep.equal({ name: 'busier' });
    expect(drafts.ruleIn({ ...draft, name: 'busier' })['condition']).to.deep.equal(GROUPED.condition);
    const json = conditions.asJson(draft).json!.replace('85', '90');
    const { condition } = drafts.changeIn({ ...draft, json }, GROUPED)!;
    expect(JSON.stringify(condition)).to.equal(JSON.stringify(GROUPED.condition).replace('85', '90'));
    expect(draft.json).to.equal(undefined);
  });

  it('says every group as fields, as it was written', () => {
    const cpu = { cpu: { value: 85, operand: 'greater' } };
    const mem = { mem: { value: 5, operand: 'less' } };
    for (const condition of [
      { any: [cpu, mem] },
      { all: [cpu, mem] },
      { all: [cpu] },
      { any: [cpu] },
      { not: cpu },
      { not: { ...cpu, ...mem } },
      { not: { any: [cpu, mem] } },
      { not: { not: cpu } },
      { any: [{ ...cpu, ...mem }, { not: { all: [cpu, { any: [mem, cpu] }] } }] },
    ]) {
      const draft = drafts.draftOf({ ...SCALE, condition });
      expect(draft.json, JSON.stringify(condition)).to.equal(undefined);
      expect(drafts.ruleIn(draft)['condition']).to.deep.equal(condition);
      const { group } = conditions.asFields(conditions.asJson(draft))!;
      expect(group).to.deep.equal(draft.group);
    }
    const odd = drafts.draftOf({ ...SCALE, condition: { any: [] } });
    expect(JSON.parse(odd.json!)).to.deep.equal({ any: [] });
  });

  it('writes JSON with a line for each comparison, where it is short enough', () => {
    expect(conditions.asJson(drafts.draftOf(GROUPED)).json).to.equal(`{
  "any": [
    {"cpu": {"value": 85, "operand": "greater", "clear": 70}},
    {
      "not": {
        "all": [
          {"cpu": {"value": 5, "operand": "less"}},
          {"net": {"value": 1, "operand": "greater"}}
        ]
      }
    }
  ]
}`);
  });

  it('sends JSON that cannot be read as it was typed', () => {
    const draft = { ...drafts.draftOf(GROUPED), json: '{"any": [' };
    expect(drafts.ruleIn(draft)['condition']).to.equal('{"any": [');
  });

  it('shows plain comparisons as rows and as JSON, and nothing is lost between them', () => {
    const draft = drafts.draftOf(PLAIN_OF_ALL_MEMBERS);
    expect(draft.json).to.equal(undefined);
    const json = conditions.asJson(draft);
    expect(JSON.parse(json.json!)).to.deep.equal(PLAIN_OF_ALL_MEMBERS.condition);
    expect(conditions.asFields(json)!.group).to.deep.equal(draft.group);
    const odd = JSON.stringify({ cpu: { value: 85, operand: 'greater', sample: 3 } });
    expect(conditions.asFields({ ...json, json: odd })).to.equal(undefined);
  });

  it('says two comparisons of one metric as a group', () => {
    const rows = ['greater', 'less'].map((operand) => ({
      metric: 'queue',
      typed: true,
      operand,
      value: '5',
    }));
    const group = { joint: 'all', members: rows };
    expect(drafts.ruleIn({ ...drafts.emptyDraft(), group })['condition']).to.deep.equal({
      all: [{ queue: { value: 5, operand: 'greater' } }, { queue: { value: 5, operand: 'less' } }],
    });
  });

  it('takes away what is emptied, and keeps a member that says false', () => {
    const rule = { ...SCALE, ...RULE_OPTIONS };
    const draft = drafts.draftOf(rule);
    expect(drafts.changeIn({ ...draft, for: '', resolve: false }, rule)).to.deep.equal({
      for: null,
      resolve: null,
    });
    expect(drafts.changeIn({ ...draft, repeat: '3600', noData: 'soon' }, rule)).to.deep.equal({
      repeat: 3600,
      noData: 'soon',
    });
    const quiet = { ...SCALE, resolve: false };
    expect(drafts.changeIn(drafts.draftOf(quiet), quiet)).to.equal(undefined);
  });

  it('sends a value that is not a number as it was typed', () => {
    const valueOf = (value: string): unknown => {
      const rule = drafts.ruleIn({
        ...drafts.emptyDraft(),
        group: { joint: 'all', members: [{ metric: 'cpu', operand: 'greater', value }] },
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
      'condition.cpu.clear',
      'noData',
      'labels',
      'action.operation',
    ]);
    expect(drafts.fieldsOf(drafts.draftOf(GROUPED))).to.include.members([
      'condition.any[0].cpu.value',
      'condition.any[1].not.all[1].net.operand',
    ]);
  });

  it('takes times as people write them, and shows them so', () => {
    const secondsOf = (text: string) => drafts.ruleIn({ ...drafts.emptyDraft(), for: text })['for'];
    for (const [text, seconds] of [
      ['10 min', 600],
      ['2h', 7200],
      ['90 s', 90],
      ['90', 90],
      ['1 h 30 min', 5400],
      ['1.5 hours', 5400],
      ['7 days', 604_800],
      ['2 Minutes', 120],
      ['0', 0],
    ] as const)
      expect(secondsOf(text), text).to.equal(seconds);
    for (const text of ['soon', '10 parsecs', 'min', '-5 min', '10 min later'])
      expect(secondsOf(text)).to.equal(text);
    const rule = { ...SCALE, for: 600, repeat: 0, noData: 90 };
    expect(drafts.draftOf(rule)).to.include({ for: '10 min', repeat: '0 s', noData: '90 s' });
  });

  it('has labels by name, the severity apart', () => {
    const rule = { ...SCALE, labels: { severity: 'critical', team: 'web' } };
    const draft = drafts.draftOf(rule);
    expect(draft).to.deep.include({ severity: 'critical', labels: [{ name: 'team', value: 'web' }] });
    expect(drafts.changeIn(draft, rule)).to.equal(undefined);
    expect(drafts.changeIn({ ...draft, severity: '' }, rule)).to.deep.equal({ labels: { team: 'web' } });
    expect(
      drafts.changeIn({ ...draft, severity: '', labels: [{ name: '', value: '' }] }, rule),
    ).to.deep.equal({
      labels: null,
    });
  });
});
