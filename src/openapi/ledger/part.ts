import type { ApiPart, Content, Operation } from '../operation.js';
import { ref, type Schema } from '../schema.js';

/** Returns a part of the ledger's API. Its operations need a token with LEDGER_AUTH=token only. */
export function ledgerPart(
  tag: string,
  description: string,
  operations: Readonly<Record<string, Operation>>,
  schemas: Readonly<Record<string, Schema>> = {},
): ApiPart {
  return {
    tag,
    description,
    errorFormat: 'Problem',
    access: ['none', 'tenant'],
    errors: [401, 406],
    pathParameters: {
      entityId: { description: 'A URI, percent-encoded or plain.', schema: ref('Uri') },
    },
    schemas,
    operations,
  };
}

/** Returns a body of JSON or JSON-LD. */
export function jsonOrLd(schema: Schema): Content {
  return { 'application/json': schema, 'application/ld+json': schema };
}
