import { expect } from 'chai';
import { validate } from '../../../src/policy/http/validate.js';
import { refused } from './refused.js';

export type Body = Record<string, unknown>;

export const SCALE = { actionName: 'notify-scale', operation: 'scaleUp' };
export const MAIL = { actionName: 'notify-email', email: 'ops@example.org', body: 'Look at it' };

/** JSON values that are no objects. */
export const NO_OBJECTS: readonly unknown[] = [null, true, 7, 'text', [], [{}]];

/** A body of operation 4 with some members replaced. */
export function ruleBody(given: Body = {}): Body {
  return { name: 'busy', condition: { cpu: { value: 80, operand: 'greater' } }, action: SCALE, ...given };
}

/** A body parsed from JSON: `__proto__` is a plain member. */
export function parsed(json: string): unknown {
  return JSON.parse(json);
}

/** Returns the problems that a schema finds in a body. Fails if the body is accepted. */
export function problems(schema: Parameters<typeof validate>[0], body: unknown): string {
  const refusal = refused(() => validate(schema, body));
  expect(refusal.code).to.equal('bad-request');
  return refusal.message;
}
