import { type ApiPart, type Operation, type Parameter, query } from '../operation.js';
import { about, count, integer, orNull, ref, type Schema, text, varies } from '../schema.js';

/** Returns a part of the console's own API. */
export function consolePart(
  tag: string,
  description: string,
  operations: Readonly<Record<string, Operation>>,
  schemas: Readonly<Record<string, Schema>> = {},
): ApiPart {
  return {
    tag,
    description,
    errorFormat: 'Error',
    access: ['operator', 'tenant'],
    errors: [401],
    pathParameters: {
      entityId: { description: 'The id of an entity.', schema: text },
      hash: {
        description: 'The hash of a transaction.',
        schema: { type: 'string', pattern: '^0x[0-9A-Fa-f]{64}$' },
      },
      index: {
        description: 'The number of an entry in its batch.',
        schema: { type: 'string', pattern: '^[0-9]{1,15}$' },
      },
      tenant: { description: 'The id of a tenant.', schema: { type: 'string', minLength: 1 } },
      server: { description: 'The id of a server.', schema: text },
      id: { description: 'An id.', schema: ref('Id') },
    },
    schemas,
    operations,
  };
}

/** The `before` of pages by position, and the most items of one. */
export const positions: readonly Parameter[] = [
  query('before', integer(0, Number.MAX_SAFE_INTEGER), 'The `next` of the page before.'),
  query('limit', integer(1, 200), 'Default 50.'),
];

/** The position at which the next page begins. */
export const nextPosition: Schema = about(
  'The `before` of the next page. null on the last one.',
  orNull(varies(count)),
);
