import { array, type ISchema, lazy, type Lazy, object, type Schema, string } from 'yup';
import { isMetricName, type MetricSettings } from '../../config/metrics.js';
import { isObject } from '../../untrusted/json.js';
import { AGGREGATES, OPERANDS } from '../rules/condition.js';
import { type Metric, METRICS } from '../rules/metrics.js';
import { exactly, NOT_AN_OBJECT, numberFrom, strictly, text } from './validate.js';

/** Maximum number of comparisons of a condition. */
export const COMPARISONS_LIMIT = 32;
/** Maximum number of members of `any` and `all`. */
export const MEMBERS_LIMIT = 16;
/** Maximum depth of `any`, `all` and `not` in one another. */
export const DEPTH_LIMIT = 4;

/** The smallest and the largest value of a metric. */
export type Range = readonly [min: number, max: number];

const PERCENT: Range = [0, 100];

/** Returns the metrics of the document and those of the settings, each with its range; undefined: any finite number. */
export function metricRanges({ listed }: MetricSettings): ReadonlyMap<Metric, Range | undefined> {
  return new Map<Metric, Range | undefined>([
    ...METRICS.map((metric) => [metric, PERCENT] as const),
    ...listed.map(({ name, range }) => [name, range] as const),
  ]);
}

const GROUPS = ['any', 'all', 'not'] as const;

const OPERAND = `must be one of: ${OPERANDS.join(', ')}`;
const AGGREGATE = `must be one of: ${AGGREGATES.join(', ')}`;
const FINITE = 'must be a finite JSON number';

const finite = numberFrom(-Number.MAX_VALUE, Number.MAX_VALUE, FINITE);

function valueSchema(range: Range | undefined) {
  if (range === undefined) return finite.required(FINITE);
  const message = `must be a JSON number from ${range[0]} to ${range[1]}`;
  return numberFrom(...range, message).required(message);
}

function comparisonSchema(range: Range | undefined) {
  return exactly({
    value: valueSchema(range),
    operand: text(OPERAND).oneOf(OPERANDS, OPERAND),
    clear: finite,
    aggregate: strictly(string(), AGGREGATE).oneOf(AGGREGATES, AGGREGATE),
  })
    .nonNullable('must be an object of value and operand')
    .test('side', (given, context) => {
      const message = wrongSide(given);
      return message === undefined || context.createError({ path: `${context.path}.clear`, message });
    })
    .default(undefined)
    .optional();
}

/** Returns what is wrong with `clear` of a comparison: it must be on the calm side of `value`. */
function wrongSide(given: unknown): string | undefined {
  if (!isObject(given)) return undefined;
  const { value, operand, clear } = given;
  if (typeof clear !== 'number' || typeof value !== 'number' || typeof operand !== 'string') return undefined;
  if (operand.startsWith('greater'))
    return clear <= value ? undefined : `must be at most ${value}, the value`;
  return clear >= value ? undefined : `must be at least ${value}, the value`;
}

/** Makes the function that returns the schema for a condition, given the metrics of the settings. */
export function conditionSchema(settings: MetricSettings) {
  const { any } = settings;
  const ranges = metricRanges(settings);
  const known = Object.fromEntries([...ranges].map(([name, range]) => [name, comparisonSchema(range)]));
  const free = comparisonSchema(undefined);
  const names = [...ranges.keys()].join(', ') + (any ? ', other metrics' : '');
  const others = any
    ? 'names of other metrics, which are attributes: not id, type, createdAt, modifiedAt or deletedAt'
    : 'other metrics that the setting METRICS names';
  const hint = `; ${others}; any, all or not alone`;
  const some = `must have at least one of ${names}`;
  const comparisons = (shape: Readonly<Record<string, ISchema<unknown>>>) =>
    exactly(shape, hint).test('some', some, (value) => !isObject(value) || Object.keys(value).length > 0);
  const plain = comparisons(known);

  const comparisonsFor = (value: unknown) => {
    if (!any || !isObject(value)) return plain;
    const unlisted = Object.keys(value).filter((name) => !ranges.has(name) && isMetricName(name));
    if (unlisted.length === 0) return plain;
    return comparisons({ ...known, ...Object.fromEntries(unlisted.map((name) => [name, free])) });
  };

  const at = (depth: number): Lazy<unknown> =>
    lazy((value: unknown) => {
      const group = isObject(value) ? GROUPS.find((name) => Object.hasOwn(value, name)) : undefined;
      if (group === undefined) return comparisonsFor(value).default(undefined).nonNullable(NOT_AN_OBJECT);
      if (depth === DEPTH_LIMIT) {
        const message = `must not have any, all or not more than ${DEPTH_LIMIT} deep`;
        return object().test('depth', message, () => false);
      }
      return groupSchema(group, at(depth + 1));
    }) as Lazy<unknown>;

  return (value: unknown) =>
    schemaFor(at(0), value).test(
      'comparisons',
      `must have at most ${COMPARISONS_LIMIT} comparisons`,
      (given) => comparisonsIn(given, 0) <= COMPARISONS_LIMIT,
    );
}

/** The schema of an object, for a value that a lazy schema looks at first. */
function schemaFor(schema: Lazy<unknown>, value: unknown): ReturnType<typeof exactly> {
  return schema.resolve({ value }) as Schema as ReturnType<typeof exactly>;
}

function groupSchema(group: (typeof GROUPS)[number], member: Lazy<unknown>) {
  const required = lazy((value: unknown) => schemaFor(member, value).required(NOT_AN_OBJECT));
  if (group === 'not') return exactly({ not: required });
  const message = `must be an array of 1 to ${MEMBERS_LIMIT} conditions`;
  return exactly({
    [group]: strictly(array(), message)
      .required(message)
      .of(required)
      .min(1, message)
      .max(MEMBERS_LIMIT, message),
  });
}

/** Counts the comparisons of a condition that may be invalid. */
function comparisonsIn(condition: unknown, depth: number): number {
  if (!isObject(condition) || depth > DEPTH_LIMIT) return 0;
  const { any, all, not } = condition;
  const members = Array.isArray(any) ? any : Array.isArray(all) ? all : not === undefined ? undefined : [not];
  if (members === undefined) return Object.keys(condition).length;
  return members.reduce<number>((sum, member) => sum + comparisonsIn(member, depth + 1), 0);
}
