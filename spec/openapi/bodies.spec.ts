import { NO_METRICS } from '../../src/config/metrics.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { Refusal } from '../../src/errors.js';
import { openApiDocument } from '../../src/openapi/document.js';
import { apiParts } from '../../src/openapi/parts.js';
import { ref, type Schema } from '../../src/openapi/schema.js';
import { policyReaders, type OperationBodies } from '../../src/policy/http/bodies.js';
import { documentReader } from './documented.js';

const WINDOW_MAX = 100;
const reader = documentReader(openApiDocument(apiParts(WINDOW_MAX), '0.0.0', () => true));
const readers = policyReaders({ hdd: 'used', metrics: NO_METRICS, windowMax: WINDOW_MAX });

/** True if validation takes the body. */
async function isTaken(name: keyof OperationBodies, body: unknown): Promise<boolean> {
  try {
    await readers[name](body);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** A right value, or now and then a wrong one or any other JSON. */
function mostly(right: fc.Arbitrary<unknown>, ...wrong: readonly unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 30, arbitrary: right },
    { weight: 1, arbitrary: fc.oneof(fc.constantFrom(...wrong), fc.jsonValue()) },
  );
}

const some = (...values: readonly unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values);

const comparison = fc.record({
  value: mostly(some(0, 100, 42.5), -0.1, 100.5, '7', undefined),
  operand: mostly(some('greater', 'less', 'greater equal', 'less equal'), 'equal', undefined),
});
const metrics = { cpu: comparison, mem: comparison, hdd: comparison, net: comparison };
const comparisons = mostly(
  fc.record(metrics, { requiredKeys: ['cpu'] }),
  {},
  { gpu: { value: 1, operand: 'less' } },
);
/** Conditions that nest at most so deep, with at most 32 comparisons. */
function conditionsTo(depth: number): fc.Arbitrary<unknown> {
  const two = fc.record({ cpu: comparison, mem: comparison }, { requiredKeys: ['cpu'] });
  if (depth === 0) return two;
  const member = mostly(conditionsTo(depth - 1), {}, { any: [] }, { any: [{}], not: {} });
  const members = mostly(fc.array(member, { minLength: 1, maxLength: 2 }), [], undefined);
  return fc.oneof(
    two,
    fc.record({ any: members }),
    fc.record({ all: members }),
    fc.record({ not: mostly(member, undefined) }),
  );
}
const DEEPEST = 4;
const condition = fc.oneof(comparisons, conditionsTo(DEEPEST));
const actionName = mostly(
  some('notify-scale', 'any', 'a'.repeat(256)),
  'notify-email',
  '',
  'a'.repeat(257),
  'a\nb',
);
const scaling = fc.record({
  actionName,
  operation: mostly(some('scaleUp', 'scaleDown'), 'stop', undefined),
});
const mailing = fc.record({
  actionName: some('notify-email'),
  email: mostly(some('a@example.com', 'a.b@x.example.org'), 'a@b', 'a@@b.c', 'no', undefined),
  body: mostly(some('text', 'x'.repeat(65_536)), '', '  ', 'x'.repeat(65_537), undefined),
});
const name = mostly(
  some('busy', 'x'.repeat(256), '😀'.repeat(256)),
  '',
  ' ',
  'x'.repeat(257),
  'a\u0000b',
  undefined,
);
const action = mostly(fc.oneof(scaling, mailing), undefined);
/** As JSON: without members that are undefined. */
const asJson = (body: unknown): unknown => JSON.parse(JSON.stringify(body));
const part = fc.record({ name, condition, action }, { requiredKeys: [] }).map(asJson);
const whole = fc.record({ name, condition, action, ruleId: mostly(some(undefined), 'r1') }).map(asJson);
const subscription = fc.record({
  ruleId: mostly(some('r1', 'a'.repeat(256)), '', 'a/b', 'a'.repeat(257)),
  url: mostly(some('http://a', 'x'.repeat(2_048)), 'x'.repeat(2_049), 7),
});
const mute = fc
  .record(
    {
      for: mostly(some(1, 60, 2_592_000), 0, 1.5, 2_592_001, '60'),
      until: mostly(
        some('2026-11-21T11:00:00Z', '2026-11-21T11:00Z', '2026-11-21T11:00:00.250+01:30'),
        '2026-11-21',
        '2026-11-21T11:00:00',
        'soon',
      ),
      why: some('noise'),
    },
    { requiredKeys: [] },
  )
  .filter((body) => body.why === undefined || body.for === undefined);

/** Bodies of each operation, with the schema that describes them. */
const CASES: readonly (readonly [keyof OperationBodies, Schema, fc.Arbitrary<unknown>])[] = [
  ['rule', ref('RuleDraft'), whole],
  ['ruleChange', ref('RuleChange'), part],
  ['subscription', ref('SubscriptionDraft'), subscription],
  ['mute', ref('MuteDraft'), mute],
];

describe('the schemas of bodies', () => {
  for (const [name, schema, bodies] of CASES) {
    it(`take what validation takes, and nothing else: ${name}`, async () => {
      const seen = { taken: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const taken = await isTaken(name, body);
          seen[taken ? 'taken' : 'refused'] += 1;
          expect(reader.faults(schema, body) === '', JSON.stringify(body).slice(0, 500)).to.equal(taken);
        }),
        { numRuns: 1_000 },
      );
      expect(Math.min(seen.taken, seen.refused)).to.be.greaterThan(20);
    });
  }

  it('take conditions of any depth and number of comparisons, and say what validation takes of them', async () => {
    const one = { value: 1, operand: 'less' };
    const two = { cpu: one, mem: one };
    const deep = (groups: number): object => (groups === 0 ? two : { not: deep(groups - 1) });
    const wide = (first: object): object => ({ any: [first, ...Array.from({ length: 15 }, () => two)] });
    const action = { actionName: 'a', operation: 'scaleUp' };
    for (const [condition, taken] of [
      [deep(DEEPEST), true],
      [deep(DEEPEST + 1), false],
      [wide(two), true],
      [wide({ ...two, net: one }), false],
    ] as const) {
      const rule = { name: 'a', condition, action };
      expect(await isTaken('rule', rule), JSON.stringify(condition)).to.equal(taken);
      expect(reader.faults(ref('RuleDraft'), rule)).to.equal('');
    }
    const { description } = reader.resolved(ref('Condition'));
    expect(description).to.include(`at most ${DEEPEST} deep, with at most 32 comparisons together`);
  });

  it('take a window size up to WINDOW_MAX', async () => {
    const found = reader.operations.find(({ operation }) => operation.operationId === 'setWindowSize')!;
    const { schema } = found.operation.requestBody!.content['application/json']!;
    for (const windowsize of [0, 1, 1.5, WINDOW_MAX, WINDOW_MAX + 1, '5', null]) {
      const taken = await isTaken('windowSize', { windowsize });
      expect(reader.faults(schema, { windowsize }) === '', String(windowsize)).to.equal(taken);
    }
  });
});
