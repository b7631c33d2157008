import { ID_PATTERN, SERVER_ID_PATTERN } from '../../policy/http/path-ids.js';
import type { ApiPart, Operation } from '../operation.js';
import { about, type Schema } from '../schema.js';

const id = (what: string): { readonly description: string; readonly schema: Schema } => ({
  description: what,
  schema: { type: 'string', pattern: `^${ID_PATTERN}$` },
});

/** Returns a part of the policy API: its operations need a token of the tenant. */
export function policyPart(
  tag: string,
  description: string,
  operations: Readonly<Record<string, Operation>>,
  schemas: Readonly<Record<string, Schema>> = {},
): ApiPart {
  return {
    tag,
    description,
    errorFormat: 'Error',
    access: ['tenant'],
    errors: [401, 406],
    pathParameters: {
      tenantId: id('The id or the name of the token’s tenant.'),
      serverId: {
        description: 'A monitored machine.',
        schema: { type: 'string', pattern: `^${SERVER_ID_PATTERN}$` },
      },
      ruleId: id('A rule.'),
      subscriptionId: id('A subscription.'),
    },
    schemas,
    operations,
  };
}

/** The answer of operations without one. */
export const NOTHING = { 'text/plain': about('Empty.', { type: 'string', maxLength: 0 }) };
