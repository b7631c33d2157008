import { NO_METRICS } from '../../../src/config/metrics.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { Refusal } from '../../../src/errors.js';
import { ruleSchemas, ruleList, windowSizeDraft } from '../../../src/policy/http/schemas.js';
import { subscriptionDraft } from '../../../src/policy/http/subscription-schema.js';
import { validate } from '../../../src/policy/http/validate.js';
import { cpuTimeOf } from '../../system/cpu-time.js';
import { NO_OBJECTS, problems, ruleBody } from './bodies.js';

const { ruleChange, ruleDraft } = ruleSchemas(NO_METRICS);

describe('a subscription', () => {
  const wanted = { ruleId: '5a_B-9', url: 'https://example.org/hook' };
  it('is accepted unchanged', () => {
    expect(validate(subscriptionDraft, wanted)).to.deep.equal(wanted);
    const longest = { ruleId: 'r'.repeat(256), url: `https://example.org/${'u'.repeat(2_028)}` };
    expect(validate(subscriptionDraft, longest)).to.deep.equal(longest);
  });
  for (const ruleId of ['', ' ', 'a b', 'a/b', 'é', 'r'.repeat(257), 'r\n', null, 7, ['r'], {}]) {
    it(`must not have the ruleId ${JSON.stringify(ruleId).slice(0, 20)}`, () => {
      expect(problems(subscriptionDraft, { ...wanted, ruleId })).to.match(
        /^ruleId: must be the id of a rule/,
      );
    });
  }
  for (const url of ['', 'u'.repeat(2_049), null, 7, ['u'], {}]) {
    it(`must not have the url ${JSON.stringify(url).slice(0, 20)}`, () => {
      expect(problems(subscriptionDraft, { ...wanted, url })).to.match(/^url: must be a URL, a string/);
    });
  }
  it('has exactly ruleId and url', () => {
    expect(problems(subscriptionDraft, {})).to.match(/^ruleId: .*; url: /);
    expect(problems(subscriptionDraft, { ...wanted, subscriptionId: 'x' })).to.contain(
      'must not have subscriptionId',
    );
    for (const body of [undefined, ...NO_OBJECTS]) {
      expect(problems(subscriptionDraft, body)).to.equal('body: must be a JSON object');
    }
  });
});

describe('a window size', () => {
  const schema = windowSizeDraft(100);
  for (const windowsize of [1, 5, 100]) {
    it(`may be ${windowsize}`, () => {
      expect(validate(schema, { windowsize })).to.deep.equal({ windowsize });
    });
  }
  for (const windowsize of [0, -1, 101, 1.5, 1e300, '5', '', null, true, [5], {}]) {
    it(`must not be ${JSON.stringify(windowsize)}`, () => {
      expect(problems(schema, { windowsize })).to.equal('windowsize: must be an integer from 1 to 100');
    });
  }
  it('is the only member', () => {
    expect(problems(schema, {})).to.equal('windowsize: must be an integer from 1 to 100');
    expect(problems(schema, { windowsize: 5, owner: 'x' })).to.contain('must not have owner');
    expect(problems(schema, { windowSize: 5 })).to.contain('must not have windowSize');
    for (const body of [undefined, ...NO_OBJECTS]) {
      expect(problems(schema, body)).to.equal('body: must be a JSON object');
    }
  });
  it('has a maximum set by the service', () => {
    expect(validate(windowSizeDraft(7), { windowsize: 7 })).to.deep.equal({ windowsize: 7 });
    expect(problems(windowSizeDraft(7), { windowsize: 8 })).to.contain('from 1 to 7');
  });
});

describe('every schema', () => {
  const schemas = [ruleDraft, ruleChange, ruleList, subscriptionDraft, windowSizeDraft(100)];

  it('accepts any JSON or refuses it as a bad request', () => {
    const hostile = fc.oneof(
      fc.jsonValue(),
      fc.jsonValue().map((value) => ruleBody({ action: value })),
      fc.jsonValue().map((value) => ruleBody({ condition: value })),
      fc.jsonValue().map((value) => ruleBody({ condition: { cpu: value }, name: value })),
      fc
        .jsonValue()
        .map((value) => ruleBody({ action: { actionName: value, email: value, operation: value } })),
      fc.jsonValue().map((value) => [value, ruleBody()]),
      fc.jsonValue().map((value) => ({ ruleId: value, url: value, windowsize: value })),
    );
    fc.assert(
      fc.property(hostile, (body) => {
        for (const schema of schemas) {
          try {
            validate<unknown>(schema, body);
          } catch (error) {
            expect(error).to.be.instanceOf(Refusal);
            expect((error as Refusal).code).to.equal('bad-request');
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('checks strings of a megabyte in linear time', async () => {
    const check = (): void => {
      for (const unit of ['a', '.', '@', 'a.', 'a@', ' ', '\u00a0', '"', '😀', '\n', '${path}']) {
        const text = unit.repeat(1_000_000 / unit.length);
        for (const hostile of [text, `a@${text}`, `${text}@example.org`, `a@b.${text}\n`]) {
          problems(
            ruleDraft,
            ruleBody({ name: hostile, action: { actionName: 'notify-email', email: hostile, body: 7 } }),
          );
          problems(ruleDraft, ruleBody({ action: { actionName: hostile, operation: hostile } }));
          expect(problems(ruleDraft, ruleBody({ [hostile]: 1 }))).to.have.length.below(500);
          problems(subscriptionDraft, { ruleId: hostile, url: hostile });
        }
      }
    };
    expect(await cpuTimeOf(check)).to.be.below(10_000);
  });
});
