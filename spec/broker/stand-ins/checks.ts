import { randomBytes } from 'node:crypto';
import type { Schema } from 'yup';
import type { Received, Reply } from './stand-in.js';

/** Characters that Orion refuses in every string of a request. */
const FORBIDDEN = /[<>"'=;()]/;

/** An id in Orion's form. */
export function newOrionId(): string {
  return randomBytes(12).toString('hex');
}

/** Returns the parsed JSON body of a request, or a text that says what is wrong. */
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

/** Returns the value if it matches the schema, else a text that says what does not. Converts nothing. */
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

/** Returns true if a string of the JSON, or a member's name, has a character that Orion refuses. */
export function hasForbiddenCharacters(json: unknown): boolean {
  if (typeof json === 'string') return FORBIDDEN.test(json);
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(([name, value]) => FORBIDDEN.test(name) || hasForbiddenCharacters(value));
}

/** Returns Orion's answer for an error in API v2. */
export function orionError(status: number, name: string, description: string): Reply {
  return { status, body: JSON.stringify({ error: name, description }) };
}

/** Returns the answer of an NGSI-LD broker for an error. */
export function ldProblem(status: number, name: string, detail: string): Reply {
  return {
    status,
    body: JSON.stringify({ type: `https://uri.etsi.org/ngsi-ld/errors/${name}`, title: name, detail }),
  };
}
