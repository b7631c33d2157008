import { ValidationError } from 'yup';
import type { Schema } from 'yup';
import { Problems } from '../errors.js';

/** The body as the schema has it; a `Refusal` that names every problem where it has not. */
export function validate<T>(schema: Pick<Schema<T>, 'validateSync'>, body: unknown): T {
  const problems = new Problems();
  try {
    return schema.validateSync(body, { strict: true, abortEarly: false, disableStackTrace: true });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const found = error.inner.length > 0 ? error.inner : [error];
    const told = new Set<string>();
    for (const { path, message } of found) {
      const where = path === undefined || path === '' ? 'body' : path;
      if (told.has(where + message)) continue;
      told.add(where + message);
      problems.add(where, message);
    }
  }
  problems.refuse();
  throw new Error('a body was refused without a problem');
}
