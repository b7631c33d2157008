import { setImmediate } from 'node:timers/promises';
import { ValidationError } from 'yup';
import type { Schema } from 'yup';
import { Problems } from '../../errors.js';

type Checked<T> = Pick<Schema<T>, 'validateSync'>;

/** For how long a list is looked at before others get their turn, ms. */
const SLICE_MS = 5;

/** The body as the schema has it; a `Refusal` that names every problem where it has not. */
export function validate<T>(schema: Checked<T>, body: unknown): T {
  const problems = new Problems();
  const value = checked(schema, body, '', problems);
  problems.refuse();
  if (value === undefined) throw new Error('a body was refused without a problem');
  return value;
}

/**
 * A list, each element as the schema has it; throws as `validate`, whose paths it has. Others get their turn in between:
 * to find a thousand rules wrong takes long.
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

/** undefined where there are problems, which are added. `at` is the place of the value in the body. */
function checked<T>(schema: Checked<T>, value: unknown, at: string, problems: Problems): T | undefined {
  try {
    return schema.validateSync(value, { strict: true, abortEarly: false, disableStackTrace: true });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const found = error.inner.length > 0 ? error.inner : [error];
    const told = new Set<string>();
    for (const { path = '', message } of found) {
      const where = path === '' || at === '' ? at + path : `${at}.${path}`;
      if (told.has(where + message)) continue;
      told.add(where + message);
      problems.add(where === '' ? 'body' : where, message);
    }
    return undefined;
  }
}
