import { randomBytes } from 'node:crypto';
import type { Schema } from 'yup';
import type { Received } from './stand-in.js';

/** What Orion takes in no string of a request. */
const FORBIDDEN = /[<>"'=;()]/;

/** An id as Orion makes them. */
export function newOrionId(): string {
  return randomBytes(12).toString('hex');
}

/** The body of a request, which must be JSON and say so, else a text that says what is wrong. */
export function bodyOf({ headers, body }: Received): { readonly json: unknown } | { readonly fault: string } {
  if (headers['content-type'] !== 'application/json')
    return { fault: 'Content-Type must be application/json' };
  if (headers['content-length'] === undefined) return { fault: 'Content-Length is missing' };
  try {
    return { json: JSON.parse(body) as unknown };
  } catch {
    return { fault: 'Errors found in incoming JSON buffer' };
  }
}

/** The value as the schema has it, else a text that says what does not fit. Nothing is converted. */
export function fitting<T>(
  schema: Schema<T>,
  json: unknown,
): { readonly value: T } | { readonly fault: string } {
  try {
    return { value: schema.validateSync(json, { strict: true }) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'it does not fit' };
  }
}

/** Whether a string anywhere in the JSON, a member's name included, has a character that Orion refuses. */
export function hasForbiddenCharacters(json: unknown): boolean {
  if (typeof json === 'string') return FORBIDDEN.test(json);
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(([name, value]) => FORBIDDEN.test(name) || hasForbiddenCharacters(value));
}
