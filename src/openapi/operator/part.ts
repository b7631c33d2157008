import { type ApiPart, type Operation, type Parameter, query } from '../operation.js';
import { LIMIT, LIMIT_MAX } from '../../operator/query.js';
import { integer, ref, type Schema, text } from '../schema.js';

/** Returns a part of the operators' API. */
export function operatorPart(
  tag: string,
  description: string,
  operations: Readonly<Record<string, Operation>>,
  schemas: Readonly<Record<string, Schema>> = {},
): ApiPart {
  return {
    tag,
    description,
    errorFormat: 'Error',
    access: ['operator'],
    errors: [401, 429],
    pathParameters: {
      kind: { description: 'A kind of actors.', schema: text },
      tenant: { description: 'The id of a tenant.', schema: text },
      name: { description: 'The name of an actor in its tenant.', schema: text },
      id: { description: 'The id of a delivery.', schema: ref('Id') },
    },
    schemas,
    operations,
  };
}

/** The parameter with the most items of a page. */
export const limit: Parameter = query('limit', integer(1, LIMIT_MAX), `Default ${LIMIT}.`);
/** The parameter with the end of the page before. */
export const after: Parameter = query('after', text, 'The `next` of the page before.');
const withoutSlash = { type: 'string', pattern: '^[^/]*$' };
/** The filter by tenant. */
export const ofTenant: Parameter = query('tenant', withoutSlash, 'The id of a tenant.');
/** The filter by tenant of operators’ routes that take its name too. */
export const ofNamedTenant: Parameter = query('tenant', withoutSlash, 'The id or the name of a tenant.');
