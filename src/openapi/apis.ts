import { LIMIT, LIMIT_MAX } from '../operator/query.js';
import { ID_PATTERN } from '../policy/http/path-ids.js';
import { SERVER_ID_PATTERN } from '../policy/server/server-id.js';
import {
  type ApiPart,
  type Content,
  type Operation,
  type Parameter,
  type PathParameter,
  query,
} from './operation.js';
import { BUILDING } from './ledger/examples.js';
import { OPERATION_ID_PATTERN } from '../ledger/addresses.js';
import { RECEIVER_ID_PATTERN } from '../delivery/receiver/receiver-machine.js';
import {
  DELIVERY,
  RECEIVER_ID,
  SERVER,
  SERVER_RULE,
  SUBSCRIPTION,
  TENANT,
  TENANT_ID,
} from './policy/examples.js';
import { about, integer, orNull, ref, type Schema, text, varies } from './schema.js';

/** Makes the function that returns the parts of an API, which share its access, errors and parameters in paths. */
function partsOf(api: Pick<ApiPart, 'errorFormat' | 'access' | 'errors' | 'pathParameters'>) {
  return (
    tag: string,
    description: string,
    operations: Readonly<Record<string, Operation>>,
    schemas: Readonly<Record<string, Schema>> = {},
  ): ApiPart => ({ ...api, tag, description, operations, schemas });
}

const id = (description: string, example: string): PathParameter => ({
  description,
  schema: { type: 'string', pattern: `^${ID_PATTERN}$` },
  example,
});

/** Returns a part of the policy API. Its operations need a token of the tenant, or that of operators, which opens every tenant. */
export const policyPart = partsOf({
  errorFormat: 'Error',
  access: ['tenant', 'operator'],
  errors: [401, 406, 429],
  pathParameters: {
    tenantId: id('The id or the name of the token’s tenant.', TENANT),
    serverId: {
      description: 'A monitored machine.',
      schema: { type: 'string', pattern: `^${SERVER_ID_PATTERN}$` },
      example: SERVER,
    },
    ruleId: id('A rule.', SERVER_RULE),
    subscriptionId: id('A subscription.', SUBSCRIPTION),
    name: id('A quiet time.', 'nights'),
  },
});

/** The access to operations that a token of operators does not open. */
export const TENANT_ALONE: ApiPart['access'] = ['tenant'];

/** The access to paths that take measurements: FACTS_AUTH says what they need. */
export const FACTS: ApiPart['access'] = ['none', 'tenant', 'factsKey'];

/** The parameter of changes that may be tried first. */
export const dryRun: Parameter = query(
  'dryRun',
  { type: 'string', enum: ['true', 'false'] },
  '`true`: checks everything, answers as the change would, and changes nothing.',
);

/** The answer of operations without one. */
export const NOTHING = { 'text/plain': about('Empty.', { type: 'string', maxLength: 0 }) };

/** Returns a part of the ledger's API. Its operations need a token with LEDGER_AUTH=token only. */
export const ledgerPart = partsOf({
  errorFormat: 'Problem',
  access: ['none', 'tenant'],
  errors: [401, 406, 429],
  pathParameters: {
    entityId: { description: 'A URI, percent-encoded or plain.', schema: ref('Uri'), example: BUILDING },
    transactionHash: { description: 'The hash of a transaction.', schema: ref('ClaimedHash') },
    operationId: {
      description: 'The id of an accepted operation.',
      schema: { type: 'string', pattern: OPERATION_ID_PATTERN },
      example: '0'.repeat(64),
    },
  },
});

/** Returns a body of JSON or JSON-LD. */
export function jsonOrLd(schema: Schema): Content {
  return { 'application/json': schema, 'application/ld+json': schema };
}

/** The id of a delivery in a path. */
export const deliveryId: PathParameter = {
  description: 'The id of a delivery.',
  schema: ref('Id'),
  example: DELIVERY,
};

/** The id of a receiver in a path. */
export const receiverId: PathParameter = {
  description: 'The id of a receiver.',
  schema: varies({ type: 'string', pattern: `^${RECEIVER_ID_PATTERN}$` }),
  example: RECEIVER_ID,
};

/** Returns a part of the operators' API. */
export const operatorPart = partsOf({
  errorFormat: 'Error',
  access: ['operator'],
  errors: [401],
  pathParameters: {
    kind: { description: 'A kind of actors.', schema: text, example: 'server' },
    tenant: { description: 'The id of a tenant.', schema: text, example: TENANT_ID },
    name: { description: 'The name of an actor in its tenant.', schema: text, example: SERVER },
    id: deliveryId,
    receiverId,
  },
});

/** The parameter with the maximum number of items of a page. */
export const limit: Parameter = query('limit', integer(1, LIMIT_MAX), `Default ${LIMIT}.`);
/** The parameter with the end of the page before. */
export const after: Parameter = query('after', text, 'The `next` of the page before.');
/** The member of a page that leads to the one after it. */
export const next: Schema = about(
  'The `after` of the next page. null on the last one.',
  orNull(varies(text)),
);
const withoutSlash = { type: 'string', pattern: '^[^/]*$' };
/** The filter by tenant. */
export const ofTenant: Parameter = query('tenant', withoutSlash, 'The id of a tenant.');
/** The filter by tenant of operators’ routes that take its name too. */
export const ofNamedTenant: Parameter = query('tenant', withoutSlash, 'The id or the name of a tenant.');
