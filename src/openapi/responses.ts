import { STATUS_CODES } from 'node:http';
import type { ErrorFormatName } from './operation.js';
import type { OpenApiContent, OpenApiResponse, WithExamples } from './open-api.js';
import { anyObject, list, object, openObject, ref, type Schema, text, varies } from './schema.js';

/** Statuses of errors that each operation can have: violations of HTTP, overload, and faults of the service. */
export const ALWAYS: readonly number[] = [400, 403, 408, 417, 421, 431, 500, 503];

/** Statuses of errors of an operation with a body. */
export const WITH_BODY: readonly number[] = [413];

const WHEN: Readonly<Record<number, string>> = {
  400: 'The request is not as described. The message names every problem.',
  401: 'No token, or one that is not valid. `WWW-Authenticate` says where to get one.',
  403: 'The token is good, but not for this; or the request comes from a page of another site.',
  404: 'No such path, or nothing of this id.',
  406: '`Accept` allows no type of this answer.',
  408: 'Headers took over 10 s, or the whole request over 30 s.',
  409: 'The present state does not allow it. The message says what to do.',
  413: 'The body, or what it asks for, is too large. The message names the limit.',
  415: 'The `Content-Type` or `Content-Encoding` is not supported.',
  417: '`Expect` is other than `100-continue`.',
  421: 'Outside production: the `Host` is not a name of the service, see `HOSTS`.',
  422: 'The `Idempotency-Key` belongs to other content.',
  429: 'Too many wrong credentials, or more requests of the tenant than TENANT_RATE. `Retry-After` says when to try again.',
  431: 'The headers are too large.',
  500: 'A fault of the service.',
  501: 'The chain has a form of blocks that is not known. The message names it.',
  502: 'The wallet or the chain gave an invalid answer or a refusal. The message names it.',
  503: 'Overload, or a dependency is down. Nothing was done, unless the message says that the outcome is unknown.',
  504: 'The transaction is on its way and in no block yet. `transactionHash` names it.',
};

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 0 } } };
const HEADERS: Readonly<Record<number, Readonly<Record<string, object>>>> = {
  401: { 'WWW-Authenticate': { schema: text } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

/** The media types of each format; the first has the schema and the examples. */
const TYPES: Readonly<Record<ErrorFormatName, readonly [string, ...string[]]>> = {
  Error: ['application/json'],
  Problem: ['application/problem+json'],
  VaultError: ['application/json'],
  Page: ['text/html'],
  Status: ['application/json', 'application/x-protobuf'],
};

const status: Schema = { type: 'integer', minimum: 400, maximum: 599 };

/** The schemas of errors. */
export const errorSchemas: Readonly<Record<ErrorFormatName, Schema>> = {
  Error: {
    ...object({
      error: object({
        message: {
          type: 'string',
          description: 'Names every problem, each with the member and what is allowed.',
        },
        code: { ...status, description: 'The status.' },
        title: { type: 'string', description: 'The phrase of the status.' },
      }),
    }),
    description: 'An error of the policy API and of operators.',
  },
  Problem: {
    type: 'object',
    description: 'An error of the ledger (RFC 9457).',
    properties: {
      type: { type: 'string', description: 'A type of NGSI-LD, or `about:blank`.' },
      title: text,
      status,
      detail: { type: 'string', description: 'Names every problem.' },
      transactionHash: { type: 'string', description: 'With 504.' },
      finalFrom: {
        type: 'integer',
        description: 'With 409 of a proof file: the block from which it is given.',
      },
    },
    required: ['type', 'title', 'status', 'detail'],
  },
  VaultError: { ...object({ errors: list(text) }), description: 'An error in the format of Vault.' },
  Page: varies({ type: 'string', description: 'A page that says what is wrong.' }),
  Status: openObject(
    { message: { type: 'string', description: 'Names what is wrong.' }, 'details?': list(anyObject) },
    {
      description:
        'A `google.rpc.Status`, the body of each error of OTLP/HTTP, in the encoding of the request.',
    },
  ),
};

/** Headers that are too large are refused before the path is read: in the same format everywhere. */
const BEFORE_THE_PATH = 431;

/** Returns the name of the shared answer to an error. */
function nameOf(format: ErrorFormatName, status: number): string {
  const phrase = (STATUS_CODES[status] ?? String(status)).replaceAll(/[^A-Za-z]/g, '');
  return format === 'Error' ? phrase : `${format}${phrase}`;
}

/** Returns the shared answer to an error by reference, or a copy of it with these examples. */
export function errorAnswer(
  format: ErrorFormatName,
  status: number,
  examples: WithExamples,
): OpenApiResponse {
  const name = nameOf(status === BEFORE_THE_PATH ? 'Error' : format, status);
  if (examples.examples === undefined) return { $ref: `#/components/responses/${name}` };
  return { ...errorAnswers(format)[name], content: contentOf(format, examples) };
}

function contentOf(format: ErrorFormatName, examples: WithExamples = {}): OpenApiContent {
  const [first, ...others] = TYPES[format];
  return {
    [first]: { schema: ref(format), ...examples },
    ...Object.fromEntries(others.map((type) => [type, { schema: {} }])),
  };
}

/** Returns the shared answers to errors of a format, by name. */
export function errorAnswers(format: ErrorFormatName): Readonly<Record<string, OpenApiResponse>> {
  const statuses = Object.entries(WHEN).filter(
    ([status]) => format === 'Error' || Number(status) !== BEFORE_THE_PATH,
  );
  return Object.fromEntries(
    statuses.map(([status, description]) => [
      nameOf(format, Number(status)),
      {
        description,
        ...(HEADERS[Number(status)] === undefined ? {} : { headers: HEADERS[Number(status)] }),
        content: contentOf(format),
      },
    ]),
  );
}
