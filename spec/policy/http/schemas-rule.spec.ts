import { NO_METRICS } from '../../../src/config/metrics.js';
import { expect } from 'chai';
import { ruleDrafts } from '../../../src/policy/http/bodies.js';
import { ruleSchemas } from '../../../src/policy/http/schemas.js';
import { validate } from '../../../src/policy/http/validate.js';
import { cpuTimeOf } from '../../system/cpu-time.js';
import { type Body, MAIL, NO_OBJECTS, parsed, problems, ruleBody } from './bodies.js';

const { ruleChange, ruleDraft } = ruleSchemas(NO_METRICS);

const draftOf = (body: unknown) => validate(ruleDraft, body);
const inDraft = (given: Body) => problems(ruleDraft, ruleBody(given));
const without = (body: Body, ...names: string[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

describe('a rule', () => {
  it('is accepted unchanged', () => {
    for (const body of [ruleBody(), ruleBody({ action: MAIL })]) expect(draftOf(body)).to.deep.equal(body);
  });

  for (const body of [undefined, ...NO_OBJECTS]) {
    it(`must be an object: ${JSON.stringify(body) ?? 'nothing'} is refused`, () => {
      expect(problems(ruleDraft, body)).to.equal('body: must be a JSON object');
    });
  }

  for (const name of ['name', 'condition', 'action']) {
    it(`must have ${name}`, () => {
      expect(problems(ruleDraft, without(ruleBody(), name))).to.match(new RegExp(`^${name}: `));
      expect(inDraft({ [name]: null })).to.match(new RegExp(`^${name}: `));
    });
  }

  for (const name of ['ruleId', 'id', 'Name', 'constructor', 'toString', '']) {
    it(`must not have a member "${name}"`, () => {
      expect(inDraft({ [name]: 'x' })).to.equal(
        `body: must not have ${name}; allowed: name, condition, action, for, repeat, resolve, noData, labels`,
      );
    });
  }

  it('must not have a member "__proto__" anywhere', () => {
    const text = JSON.stringify(ruleBody());
    const own = '"__proto__":{"name":"x"}';
    expect(problems(ruleDraft, parsed(text.replace('{', `{${own},`)))).to.contain('must not have __proto__');
    expect(problems(ruleDraft, parsed(text.replace('"cpu"', `${own},"cpu"`)))).to.match(
      /^condition: must not have __proto__/,
    );
    expect(problems(ruleDraft, parsed(text.replace('"value"', `${own},"value"`)))).to.match(
      /^condition.cpu: must not have __proto__/,
    );
    expect(problems(ruleDraft, parsed(text.replace('"operation"', `${own},"operation"`)))).to.match(
      /^action: must not have __proto__/,
    );
  });

  it('does not get its members from "__proto__"', () => {
    const body = parsed(`{"__proto__":${JSON.stringify(ruleBody())}}`);
    const message = problems(ruleDraft, body);
    for (const name of ['name', 'condition', 'action']) expect(message).to.contain(`${name}: `);
  });

  it('is refused with all its problems at once', () => {
    const message = problems(ruleDraft, {
      name: ' ',
      condition: { cpu: { value: 101, operand: 'above' }, disk: {}, mem: { value: 'x' } },
      action: { actionName: 'notify-email', email: 'nobody', operation: 'scaleUp' },
      ruleId: 'x',
    });
    for (const where of [
      'body: must not have ruleId',
      'name: must be',
      'condition: must not have disk; allowed: cpu, mem, hdd, net; other metrics that the setting METRICS names; any, all or not alone',
      'condition.cpu.value: must be a JSON number from 0 to 100',
      'condition.cpu.operand: must be one of: greater, less, greater equal, less equal',
      'condition.mem.value: must be a JSON number',
      'condition.mem.operand: must be one of',
      'action: must not have operation; allowed: actionName, email, body',
      'action.email: must be one e-mail address',
      'action.body: must be a string, not blank, of at most 65536 characters',
    ]) {
      expect(message).to.contain(where);
    }
    expect(new Set(message.split('; ')).size).to.equal(message.split('; ').length);
  });
});

describe('the name of a rule', () => {
  for (const name of ['x', 'é', 'a b', 'x'.repeat(256), '😀'.repeat(256), '"quoted" <b>', ' x ']) {
    it(`may be ${JSON.stringify(name).slice(0, 20)} of ${Array.from(name).length} characters`, () => {
      expect(draftOf(ruleBody({ name })).name).to.equal(name);
    });
  }
  const wrong = [
    '',
    ' ',
    '\u00a0\u2003',
    'x'.repeat(257),
    '😀'.repeat(257),
    'a\nb',
    'a\u0000',
    '\u007f',
    '\u009f',
  ];
  for (const name of [...wrong, null, 7, true, [], ['x'], {}]) {
    it(`must not be ${JSON.stringify(name).slice(0, 20)}`, () => {
      expect(inDraft({ name })).to.equal(
        'name: must be a string of 1 to 256 characters, not blank and without control characters',
      );
    });
  }
});

describe('a change of a rule', () => {
  for (const names of [
    ['name'],
    ['condition'],
    ['action'],
    ['name', 'action'],
    ['name', 'condition', 'action'],
  ]) {
    it(`may have ${names.join(', ')}`, () => {
      const change = Object.fromEntries(Object.entries(ruleBody()).filter(([name]) => names.includes(name)));
      expect(validate(ruleChange, change)).to.deep.equal(change);
    });
  }
  it('must not be empty', () => {
    expect(problems(ruleChange, {})).to.equal(
      'body: must have at least one of name, condition, action, for, repeat, resolve, noData, labels',
    );
    for (const body of [undefined, ...NO_OBJECTS]) {
      expect(problems(ruleChange, body)).to.equal('body: must be a JSON object');
    }
  });
  it('must not have members that a rule does not have', () => {
    expect(problems(ruleChange, ruleBody({ ruleId: 'x' }))).to.contain('must not have ruleId');
    expect(problems(ruleChange, { ruleId: 'x' })).to.contain('must not have ruleId');
  });
  it('follows the same rules as a new rule', () => {
    expect(problems(ruleChange, { name: '' })).to.match(/^name: /);
    expect(problems(ruleChange, { name: null })).to.match(/^name: /);
    expect(problems(ruleChange, { condition: {} })).to.match(/^condition: must have at least one/);
    expect(problems(ruleChange, { condition: null })).to.match(/^condition: /);
    expect(problems(ruleChange, { condition: { cpu: { value: 1 } } })).to.match(/^condition.cpu.operand: /);
    expect(problems(ruleChange, { action: null })).to.match(/^action: /);
    expect(problems(ruleChange, { action: { actionName: 'x' } })).to.match(/^action.operation: /);
  });
});

describe('several rules', () => {
  /** Returns the problems of a refused body. */
  const problemsOf = async (body: unknown): Promise<string> =>
    ruleDrafts({ ruleDraft }, body).then(
      () => expect.fail('nothing was wrong'),
      (error: unknown) => (error as Error).message,
    );

  it('are accepted in their order', async () => {
    const bodies = [ruleBody({ name: 'a' }), ruleBody({ name: 'b' }), ruleBody({ name: 'a' })];
    expect(await ruleDrafts({ ruleDraft }, bodies)).to.deep.equal(bodies);
    expect(
      await ruleDrafts(
        { ruleDraft },
        Array.from({ length: 1_000 }, () => ruleBody()),
      ),
    ).to.have.length(1_000);
  });
  for (const body of [[], {}, null, 'text']) {
    it(`must not be ${JSON.stringify(body)}`, async () => {
      expect(await problemsOf(body)).to.equal('body: must be a rule or a non-empty array of rules');
    });
  }
  it('are refused if one is wrong, each problem with its path', async () => {
    const wrong = [ruleBody(), ruleBody({ name: '' }), null, ruleBody({ ruleId: 'x' })];
    const message = await problemsOf(wrong);
    expect(message).to.contain('[1].name: must be');
    expect(message).to.contain('[2]: must be a JSON object');
    expect(message).to.contain('[3]: must not have ruleId');
    expect(message).to.not.contain('[0]');
  });
  it('are refused with the first 20 problems, and the number of the rest', async () => {
    const message = await problemsOf(Array.from({ length: 300 }, () => ruleBody({ name: '', x: 1 })));
    expect(message.split('; [')).to.have.length(20);
    expect(message).to.match(/; and 580 more$/);
  });
  it('must not be more than a server can have, and are then not checked', async () => {
    const check = async (): Promise<void> => {
      const zeros = Array.from({ length: 500_000 }, () => 0);
      expect(await problemsOf(zeros)).to.equal('body: must not have more than 1000 rules');
      expect(await problemsOf(Array.from({ length: 1_001 }, () => ruleBody()))).to.contain('more than 1000');
    };
    // To check each of them takes several times as long.
    expect(await cpuTimeOf(check)).to.be.below(2_000);
  });
  it('do not hold up the event loop while they are checked', async () => {
    let turns = 0;
    const turn = (): void => void (turns += 1);
    const turning = setInterval(turn, 0);
    const wrong = Array.from({ length: 1_000 }, () => ({ name: 1, condition: { cpu: 1, x: 2 }, y: 3 }));
    await problemsOf(wrong).finally(() => clearInterval(turning));
    expect(turns).to.be.above(2);
  });
});
