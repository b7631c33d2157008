import type { RuleDraft } from './rule.js';
import { ruleDraft, ruleList } from '../http/schemas.js';
import { validate, validateEach } from '../http/validate.js';

/** The rules of operation 11 with several; a `Refusal` names every problem of the body. */
export async function ruleDrafts(body: unknown): Promise<readonly RuleDraft[]> {
  return validateEach<RuleDraft>(ruleDraft, validate(ruleList, body));
}
