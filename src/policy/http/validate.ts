import { setImmediate } from 'node:timers/promises';
import { type ISchema, number, object, type Schema, string, ValidationError } from 'yup';
import { Problems } from '../../errors.js';

type Checked<T> = Pick<Schema<T>, 'validateSync'>;

/** Time spent on a list before other work gets a turn of the event loop, ms. */
const SLICE_MS = 5;

/** Returns the body as the schema types it. Throws one `Refusal('bad-request')` that names every problem. */
export function validate<T>(schema: Checked<T>, body: unknown): T {
  const problems = new Problems();
  const value = checked(schema, body, '', problems);
  problems.refuse();
  if (value === undefined) throw new Error('a body was refused without a problem');
  return value;
}

/**
 * Checks each element of a list; errors as in `validate`. Other work gets turns of the event loop in between: a thousand
 * invalid rules take long.
 */
export async function validateEach<T>(schema: Checked<T>, list: readonly unknown[]): Promise<readonly T[]> {
  const problems = new Problems();
  const values: T[] = [];
  let since = performance.now();
  for (const [i, element] of list.entries()) {
    const value = checked(schema, element, `[${i}]`, problems);
    if (value !== undefined) values.push(value);
    if (performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  problems.refuse();
  return values;
}

/** Checks a value of a body, at the path `at`. Returns undefined and adds the problems if there are any. */
export function checked<T>(
  schema: Checked<T>,
  value: unknown,
  at: string,
  problems: Problems,
): T | undefined {
  try {
    return schema.validateSync(value, { strict: true, abortEarly: false, disableStackTrace: true });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const found = error.inner.length > 0 ? error.inner : [error];
    const added = new Set<string>();
    for (const { path = '', message, params } of found) {
      const where = path === '' || at === '' ? at + path : `${at}.${path}`;
      if (added.has(where + message)) continue;
      added.add(where + message);
      problems.add(where === '' ? 'body' : where, message, firstOf(params?.['unknown']));
    }
    return undefined;
  }
}

/** Returns the first of the names of members that are unknown. */
function firstOf(unknown: unknown): string | undefined {
  return typeof unknown === 'string' ? unknown.split(', ', 1)[0] : undefined;
}

/** What is wrong with a member that is not an object, after its path. */
export const NOT_AN_OBJECT = 'must be a JSON object';
/** What is wrong with a member that is not a time, after its path. */
export const NOT_A_TIME = 'must be a time of ISO 8601 with a zone, such as 2026-11-21T11:00:00Z';

/** Returns the schema of an object with these members and no others. `hint` follows their names in the message. */
export function exactly(shape: Readonly<Record<string, ISchema<unknown>>>, hint = '') {
  const allowed = Object.keys(shape).join(', ') + hint;
  return object(shape)
    .typeError(NOT_AN_OBJECT)
    .noUnknown(
      ({ unknown }: { unknown?: string }) => `must not have ${shorten(unknown)}; allowed: ${allowed}`,
    )
    .strict();
}

function shorten(names: string | undefined): string {
  const text = (names ?? 'other members').replaceAll(/\p{Cc}/gu, '?');
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** Returns the schema of a whole body: an object with these members and no others. `hint` as in `exactly`. */
export function bodyOf<T>(shape: Readonly<Record<string, ISchema<unknown>>>, hint = ''): Schema<T> {
  return exactly(shape, hint).required(NOT_AN_OBJECT) as Schema as Schema<T>;
}

/** Returns the schema with one message for a value of another type, and for null. The value may be missing. */
export function strictly<S extends Schema>(schema: S, message: string): S {
  return schema.strict().typeError(message).nonNullable(message) as S;
}

/** Returns the schema of a required string. `message` says what is allowed. */
export function text(message: string) {
  return strictly(string(), message).required(message);
}

/** Returns the schema of a number that may be missing. `message` says what is allowed. */
export function numberFrom(min: number, max: number, message: string) {
  return strictly(number(), message).min(min, message).max(max, message);
}

/** Returns the schema of an integer that may be missing. `message` says what is allowed. */
export function integer(min: number, max: number, message: string) {
  return numberFrom(min, max, message).integer(message);
}
