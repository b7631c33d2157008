import { NO_METRICS } from '../../../src/config/metrics.js';
import { expect } from 'chai';
import { OPERANDS } from '../../../src/policy/rules/condition.js';
import { METRICS } from '../../../src/policy/rules/metrics.js';
import { ruleSchemas } from '../../../src/policy/http/schemas.js';
import { validate } from '../../../src/policy/http/validate.js';
import { type Body, MAIL, NO_OBJECTS, parsed, problems, ruleBody, SCALE } from './bodies.js';

const { ruleDraft } = ruleSchemas(NO_METRICS);

const draftOf = (body: unknown) => validate(ruleDraft, body);
const inDraft = (given: Body) => problems(ruleDraft, ruleBody(given));
const inCondition = (condition: unknown) => inDraft({ condition });
const inStatement = (cpu: unknown) => inCondition({ cpu });
const inAction = (action: unknown) => inDraft({ action });

describe('a condition', () => {
  for (const metric of METRICS) {
    for (const operand of OPERANDS) {
      it(`may have ${metric} ${operand}`, () => {
        const condition = { [metric]: { value: 0.5, operand } };
        expect(draftOf(ruleBody({ condition })).condition).to.deep.equal(condition);
      });
    }
  }
  it('may join statements of all metrics', () => {
    const condition = Object.fromEntries(METRICS.map((metric) => [metric, { value: 1, operand: 'less' }]));
    expect(draftOf(ruleBody({ condition })).condition).to.deep.equal(condition);
  });
  it('must have a statement', () => {
    expect(inCondition({})).to.equal('condition: must have at least one of cpu, mem, hdd, net');
  });
  for (const condition of NO_OBJECTS) {
    it(`must not be ${JSON.stringify(condition)}`, () => {
      expect(inCondition(condition)).to.match(/^condition: (?:must be|is required,) a JSON object/);
    });
  }
  for (const metric of ['CPU', 'disk', 'or', 'toString']) {
    it(`must not have the metric "${metric}"`, () => {
      const statement = { value: 1, operand: 'less' };
      expect(inCondition({ cpu: statement, [metric]: statement })).to.equal(
        `condition: must not have ${metric}; allowed: cpu, mem, hdd, net; other metrics that the setting METRICS names; any, all or not alone`,
      );
    });
  }
  it('must not have a member of entities that is not an attribute, if it may have any metric', () => {
    const any = ruleSchemas({ any: true, listed: [] }).ruleDraft;
    const statement = { value: 1, operand: 'less' };
    for (const name of ['id', 'type', 'createdAt', 'modifiedAt', 'deletedAt']) {
      expect(problems(any, ruleBody({ condition: { queue: statement, [name]: statement } }))).to.match(
        new RegExp(`^condition: must not have ${name}; .*not id, type, createdAt`),
      );
      expect(problems(any, ruleBody({ condition: { any: [{ [name]: statement }] } }))).to.include(name);
    }
    expect(validate(any, ruleBody({ condition: { ids: statement } })).condition).to.have.property('ids');
  });
  for (const statement of NO_OBJECTS) {
    it(`must not have the statement ${JSON.stringify(statement)}`, () => {
      expect(inStatement(statement)).to.match(/^condition.cpu: must be an? /);
    });
  }
  it('has exactly value and operand in a statement', () => {
    expect(inStatement({ value: 1 })).to.match(/^condition.cpu.operand: must be one of: greater, less,/);
    expect(inStatement({ operand: 'less' })).to.match(/^condition.cpu.value: must be a JSON number/);
    expect(inStatement({ value: 1, operand: 'less', unit: '%' })).to.equal(
      'condition.cpu: must not have unit; allowed: value, operand, clear, aggregate',
    );
  });
  for (const value of [0, 100, 0.1, 99.999, 1e-9]) {
    it(`may compare with ${value}`, () => {
      const condition = { net: { value, operand: 'less equal' } };
      expect(draftOf(ruleBody({ condition })).condition).to.deep.equal(condition);
    });
  }
  for (const value of ['-0.1', '100.1', '-1e-9', '1e400', '"50"', '""', 'null', 'true', '[]', '[50]', '{}']) {
    it(`must not compare with ${value}`, () => {
      expect(inStatement(parsed(`{"value":${value},"operand":"less"}`))).to.equal(
        'condition.cpu.value: must be a JSON number from 0 to 100',
      );
    });
  }
  for (const operand of [
    '',
    'Greater',
    'greater-equal',
    'equal',
    '>',
    ' less',
    null,
    7,
    true,
    ['less'],
    {},
  ]) {
    it(`must not have the operand ${JSON.stringify(operand)}`, () => {
      expect(inStatement({ value: 1, operand })).to.equal(
        'condition.cpu.operand: must be one of: greater, less, greater equal, less equal',
      );
    });
  }
});

describe('an action', () => {
  it('named notify-email has an address and a text', () => {
    expect(draftOf(ruleBody({ action: MAIL })).action).to.deep.equal(MAIL);
    const several = { ...MAIL, body: ' Dear all,\n\tlook at it ' };
    expect(draftOf(ruleBody({ action: several })).action).to.deep.equal(several);
  });
  for (const operation of ['scaleUp', 'scaleDown']) {
    it(`named notify-scale has the operation ${operation}`, () => {
      const action = { actionName: 'notify-scale', operation };
      expect(draftOf(ruleBody({ action })).action).to.deep.equal(action);
    });
  }
  for (const actionName of ['x', 'Notify-Email', 'notify-email ', 'a b', ' ', '😀'.repeat(256), 'toString']) {
    it(`named ${JSON.stringify(actionName).slice(0, 20)} is like notify-scale`, () => {
      const action = { actionName, operation: 'scaleDown' };
      expect(draftOf(ruleBody({ action })).action).to.deep.equal(action);
      const message = inAction({ ...MAIL, actionName });
      expect(message).to.contain(
        'action: must not have email, body; allowed: actionName, operation; email and body with the actionName notify-email',
      );
      expect(message).to.contain('action.operation: must be scaleUp or scaleDown');
    });
  }
  for (const actionName of ['', 'x'.repeat(257), '😀'.repeat(257), 'a\nb', '\u0000', null, 7, true, [], {}]) {
    it(`must not have the name ${JSON.stringify(actionName).slice(0, 20)}`, () => {
      expect(inAction({ actionName, operation: 'scaleUp' })).to.equal(
        'action.actionName: must be a string of 1 to 256 characters without control characters',
      );
    });
  }
  it('must have a name', () => {
    expect(inAction({ operation: 'scaleUp' })).to.match(/^action.actionName: must be a string/);
    expect(inAction({})).to.match(/action.actionName: must be a string/);
  });
  for (const action of NO_OBJECTS) {
    it(`must not be ${JSON.stringify(action)}`, () => {
      expect(inAction(action)).to.match(/^action: (?:must be|is required,) a JSON object/);
    });
  }
  for (const operation of ['', 'scaleup', 'ScaleUp', 'scale', ' scaleUp', null, 7, true, ['scaleUp'], {}]) {
    it(`must not have the operation ${JSON.stringify(operation)}`, () => {
      expect(inAction({ actionName: 'notify-scale', operation })).to.equal(
        'action.operation: must be scaleUp or scaleDown',
      );
    });
  }
  it('has no members of another action', () => {
    expect(inAction({ ...SCALE, email: 'ops@example.org' })).to.contain('action: must not have email');
    expect(inAction({ ...SCALE, body: 'x' })).to.contain('action: must not have body');
    expect(inAction({ ...MAIL, operation: 'scaleUp' })).to.contain('action: must not have operation');
    expect(inAction({ ...MAIL, cc: 'x' })).to.equal(
      'action: must not have cc; allowed: actionName, email, body',
    );
  });
});

describe('the e-mail of an action', () => {
  const addresses = ['a@b.c', 'first.last+tag@mail.example.org', "o'hara@example.org", 'ops@bücher.example'];
  for (const email of [...addresses, 'ü@example.org', 'a@1.2.3.4', `${'a'.repeat(64)}@example.org`]) {
    it(`may go to ${email.slice(-30)}`, () => {
      const action = { ...MAIL, email };
      expect(draftOf(ruleBody({ action })).action).to.deep.equal(action);
    });
  }
  const wrong = [
    ['', ' ', 'ops', 'ops@', '@example.org', 'ops@localhost', 'ops@example.', 'ops@.org', 'ops@a..org'],
    ['a b@example.org', ' ops@example.org', 'ops@example.org ', 'ops@example.org\n', 'o\rps@example.org'],
    ['a@b@example.org', 'a@example.org,b@example.org', 'a@example.org;b@example.org', 'Ops <a@example.org>'],
    ['"a"@example.org', 'a@[10.0.0.1]', 'a@exam\u0000ple.org', 'a\u0085@example.org', 'a:b@example.org'],
    [`${'a'.repeat(65)}@example.org`, null, 7, true, ['ops@example.org'], {}, undefined],
  ].flat();
  for (const email of wrong) {
    it(`must not go to ${JSON.stringify(email)?.slice(-30) ?? 'nobody'}`, () => {
      expect(inAction({ ...MAIL, email })).to.equal(
        'action.email: must be one e-mail address, its domain with a dot, at most 253 characters',
      );
    });
  }
  it('may have 65,536 characters and no more', () => {
    const long = { ...MAIL, body: 'x'.repeat(65_537) };
    expect(inAction(long)).to.equal('action.body: must be a string, not blank, of at most 65536 characters');
    expect(() => inAction({ ...MAIL, body: 'x'.repeat(65_536) })).to.throw('nothing was refused');
  });

  for (const body of ['', ' ', '\n\t', '\u00a0', null, 7, true, ['x'], {}, undefined]) {
    it(`must not have the text ${JSON.stringify(body) ?? 'undefined'}`, () => {
      expect(inAction({ ...MAIL, body })).to.equal(
        'action.body: must be a string, not blank, of at most 65536 characters',
      );
    });
  }
});
