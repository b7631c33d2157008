import { type ApiPart, json, refusal } from '../operation.js';
import { ref } from '../schema.js';
import { EXAMPLE_TIME, TENANT } from './examples.js';
import { dryRun, policyPart, TENANT_ALONE } from '../apis.js';
import { policySchemas, windowSize } from './schemas.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEW_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

/** Operations 2 and 3 of the policy API, and the webhook secrets. `windowMax` is WINDOW_MAX. */
export function tenants(windowMax: number): ApiPart {
  const size = windowSize(windowMax);
  return policyPart(
    'Tenant',
    'The settings of a tenant, for all its servers.',
    {
      'GET /v1.0/{tenantId}': {
        id: 'showTenant',
        summary: 'Show the tenant (operation 2)',
        answer: json(ref('Tenant')),
        examples: {
          demo: {
            answer: {
              owner: TENANT,
              windowsize: 5,
              version: '1.0',
              runningfrom: EXAMPLE_TIME,
              doc: 'http://localhost:8080/docs/policy-api',
            },
          },
        },
      },
      'PUT /v1.0/{tenantId}': {
        id: 'setWindowSize',
        parameters: [dryRun],
        summary: 'Set the window size of all servers (operation 3)',
        description: `A window holds the last \`windowsize\` values of a metric, at most ${windowMax}.`,
        body: { content: json(size) },
        answer: json(size),
        errors: [409],
        examples: {
          'three-values': { body: { windowsize: 3 }, answer: { windowsize: 3 } },
          'out-of-range': {
            body: { windowsize: 0 },
            ...refusal(400, `windowsize: must be an integer from 1 to ${windowMax}`),
          },
        },
      },
      'GET /v1.0/{tenantId}/webhook-secret': {
        id: 'showWebhookSecret',
        access: TENANT_ALONE,
        summary: 'Show the secret that signs the tenant’s webhooks',
        answer: json(ref('WebhookSecret')),
        examples: { first: { answer: { secret: SECRET } } },
      },
      'POST /v1.0/{tenantId}/webhook-secret': {
        id: 'replaceWebhookSecret',
        access: TENANT_ALONE,
        summary: 'Replace the secret',
        description:
          'The replaced secret signs for 24 hours more beside the new one. At most 10 sign at once.',
        answer: json(ref('WebhookSecret')),
        errors: [409],
        examples: {
          second: {
            answer: { secret: NEW_SECRET, previous: { secret: SECRET, until: '2026-02-01T12:00:00.000Z' } },
          },
        },
      },
    },
    policySchemas,
  );
}
