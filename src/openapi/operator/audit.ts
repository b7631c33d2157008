import type { AuditView, ChangeView } from '../../operator/shapes.js';
import { AUDIT_NAME } from '../../audit/audit-machine.js';
import { limit, ofNamedTenant, operatorPart, policyPart } from '../apis.js';
import { type ApiPart, json, type Operation, type Parameter, query } from '../operation.js';
import { EXAMPLE_TIME, TENANT_ID } from '../policy/examples.js';
import { about, anyObject, list, oneOf, orNull, ref, shape, text, time, varies } from '../schema.js';

const DESCRIPTION =
  'Each change by the policy API, the console or the operators’ API, newest first, for AUDIT_DAYS. What follows from a change, ' +
  'such as the end of the subscriptions of a deleted rule, is not a change of its own.';

function operationOf(id: string, parameters: readonly Parameter[]): Operation {
  return {
    id,
    summary: 'List the changes, and who made them',
    parameters: [
      ...parameters,
      query('what', text, 'Only changes of this kind, such as `delete`.'),
      query('query', text, 'Only changes with this text in `who` or `target`.'),
      query('before', { type: 'string', pattern: AUDIT_NAME.source }, 'The `next` of the page before.'),
      limit,
    ],
    answer: json(shape<AuditView>({ audit: list(ref('Change')), next: orNull(varies(text)) })),
    examples: {
      'change-of-windows': {
        parameters: { what: 'change', limit: 1 },
        answer: {
          audit: [
            {
              at: EXAMPLE_TIME,
              tenantId: TENANT_ID,
              who: 'demo',
              via: 'api',
              what: 'change',
              target: 'windowsize',
              before: { windowsize: 5 },
              after: { windowsize: 3 },
            },
          ],
          next: null,
        },
      },
    },
  };
}

/** The changes of a tenant. */
export const audit: ApiPart = policyPart('Audit', DESCRIPTION, {
  'GET /v1.0/{tenantId}/audit': operationOf('listOwnChanges', []),
});

/** The changes of all tenants. */
export const operatorAudit: ApiPart = operatorPart(
  'Operator: audit',
  DESCRIPTION,
  { 'GET /operator/audit': operationOf('listChanges', [ofNamedTenant]) },
  {
    Change: shape<ChangeView>({
      at: time,
      tenantId: varies(text),
      who: about(
        'The user’s name as the token has it, the tenant’s name if it has none, `operator` for OPERATOR_TOKEN, or `link of a mail`.',
        text,
      ),
      via: oneOf(['api', 'console', 'command', 'operator', 'mail']),
      what: about(
        '`create`, `change`, `delete`, `resume`, `mute`, `unmute`, `acknowledge`, `unacknowledge`, `rotate`, `redeliver`, ' +
          '`resend`, `try`, `discard` or `import`.',
        text,
      ),
      target: about('What was changed: its path in the API, below the tenant.', text),
      'before?': about(
        'The members that differ; of what was deleted, all. Longer members than 2,000 characters are replaced by their length. Of ' +
          'urls, the path and the query are left out. Secrets are in none.',
        anyObject,
      ),
      'after?': about('As `before`.', anyObject),
    }),
  },
);
