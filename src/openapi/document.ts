import {
  type Access,
  type ApiPart,
  type Content,
  type Example,
  type Examples,
  methodAndPath,
  type Operation,
  type Parameter,
  type PathParameter,
} from './operation.js';
import type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiResponse,
  WithExamples,
} from './open-api.js';
import { ALWAYS, errorAnswer, errorAnswers, errorSchemas, WITH_BODY } from './responses.js';

const INFO = [
  'Mirzam serves rules over measurements that fire webhooks and e-mails (the interface of FIWARE’s Policy Manager), and',
  'NGSI-LD operations as signed transactions with receipts (the interface of FIWARE’s CanisMajor).',
  '',
  'A slash at the end of a path is optional. HEAD of an operation with GET is GET without the body, but for those that',
  'record. OPTIONS of each path answers 204 with `Allow` and needs no token. Every answer has an `X-Request-Id`. A method',
  'that a path does not have is 405 with `Allow`.',
  '',
  'Each example was sent to a running service and answered as written, but for values with `x-varies` in their schema.',
].join('\n');

const SCHEMES = {
  tenantToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'A token of the identity service for the tenant.',
  },
  tenantBearer: { type: 'http', scheme: 'bearer', description: 'The same token as Bearer.' },
  operatorToken: { type: 'http', scheme: 'bearer', description: 'OPERATOR_TOKEN.' },
  operatorHeader: { type: 'apiKey', in: 'header', name: 'X-Operator-Token', description: 'OPERATOR_TOKEN.' },
  factsKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Facts-Key',
    description: 'FACTS_KEY, with FACTS_AUTH=key.',
  },
  vaultToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Vault-Token',
    description: 'The token of the development wallet.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'mirzam_session',
    description:
      'The cookie of the console, on https __Host-mirzam_session. Changes also need the header X-CSRF-Token.',
  },
} as const;

const SECURITY: Readonly<Record<Access, readonly (keyof typeof SCHEMES)[]>> = {
  tenant: ['tenantToken', 'tenantBearer', 'session'],
  operator: ['operatorToken', 'operatorHeader', 'session'],
  factsKey: ['factsKey'],
  vault: ['vaultToken'],
  none: [],
};

/**
 * Makes the document of these parts with the operations that `isServed` allows. A part without any is left out. Throws an
 * `Error` for an operation whose path has an undescribed parameter.
 */
export function openApiDocument(
  parts: readonly ApiPart[],
  version: string,
  isServed: (method: string, path: string) => boolean,
): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const served = new Set<ApiPart>();
  for (const part of parts) {
    for (const [key, operation] of Object.entries(part.operations)) {
      const { method, path } = methodAndPath(key);
      if (!isServed(method, path)) continue;
      served.add(part);
      (paths[path] ??= {})[method.toLowerCase()] = presented(part, { ...operation, method, path });
    }
  }
  const shown = [...served];
  const formats = [...new Set(shown.map(({ errorFormat }) => errorFormat))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mirzam',
      version,
      description: INFO,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: shown.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      schemas: referenced(
        paths,
        Object.assign({}, errorSchemas, ...parts.map(({ schemas }) => schemas)) as Schemas,
      ),
      responses: Object.assign({}, ...formats.map(errorAnswers)) as Record<string, object>,
      securitySchemes: SCHEMES,
    },
  };
}

type Schemas = Readonly<Record<string, object>>;

/** Returns the schemas that the paths refer to, directly or not, and those of errors. */
function referenced(paths: object, schemas: Schemas): Schemas {
  const found = new Set<string>(Object.keys(errorSchemas));
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name]);
    }
  };
  visit(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}

/** An operation at its place. */
type Placed = Operation & { readonly method: string; readonly path: string };

function presented(part: ApiPart, operation: Placed): OpenApiOperation {
  const { id, path, summary, description, body, parameters = [], examples = {} } = operation;
  const access = operation.access ?? part.access;
  // A session may be a tenant's or an operator's.
  const schemes = new Set(access.flatMap((way) => (way === 'none' ? [] : SECURITY[way])));
  const sent = examplesOf(examples, (one) => one.body);
  return {
    operationId: id,
    tags: [part.tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: [...(access.includes('none') ? [{}] : []), ...[...schemes].map((name) => ({ [name]: [] }))],
    parameters: [...namesIn(path).map((name) => inPath(part, path, name)), ...parameters].map(
      ({ example, ...parameter }: Parameter & PathParameter) => ({
        ...parameter,
        ...examplesOf(examples, ({ parameters }) => parameters?.[parameter.name] ?? example),
      }),
    ),
    ...(body === undefined
      ? {}
      : { requestBody: { required: body.required ?? true, content: contentOf(body.content, sent) } }),
    responses: answersOf(part, operation),
  };
}

/** Returns the names of the parameters in a path. */
function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function inPath(part: ApiPart, path: string, name: string): Parameter & PathParameter {
  const found = part.pathParameters?.[name];
  if (found === undefined)
    throw new Error(`the parameter ${name} of ${path} is not described in ${part.tag}`);
  return { in: 'path', name, required: true, ...found };
}

/** Returns the member `examples` with the value of each example that has one; nothing if none has. */
function examplesOf(examples: Examples, valueOf: (example: Example) => unknown): WithExamples {
  const given = Object.entries(examples).map(([name, one]) => [name, { value: valueOf(one) }] as const);
  const shown = given.filter(([, { value }]) => value !== undefined);
  return shown.length === 0 ? {} : { examples: Object.fromEntries(shown) };
}

/** Puts the examples into the first media type. */
function contentOf(content: Content, examples: WithExamples): OpenApiContent {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema], i) => [type, { schema, ...(i === 0 ? examples : {}) }]),
  );
}

function answersOf(part: ApiPart, operation: Placed): Readonly<Record<string, OpenApiResponse>> {
  const { method, path, answer, headers, others = {}, errors = [], body } = operation;
  const { examples = {}, status = 200 } = operation;
  const answered = (asked: number): WithExamples =>
    examplesOf(examples, (one) => ((one.status ?? 200) === asked ? one.answer : undefined));
  const names = namesIn(path);
  const byOperators = (operation.access ?? part.access).includes('operator');
  // POST may make what its path names. A tenant that is not known is refused by its token; operators have none of it.
  const mayLack =
    (method !== 'POST' && names.some((name) => name !== 'tenantId')) ||
    (names.includes('tenantId') && byOperators);
  const failures = [
    ...ALWAYS,
    ...(part.errors ?? []),
    ...errors,
    ...(body === undefined ? [] : WITH_BODY),
    ...(mayLack ? [404] : []),
    // Wrong tokens of operators are counted.
    ...(byOperators ? [429] : []),
  ];
  return {
    [status]: {
      description: status === 202 ? 'The work goes on.' : 'Success.',
      ...(headers === undefined ? {} : { headers }),
      ...(status === 204 ? {} : { content: contentOf(answer, answered(status)) }),
    },
    ...Object.fromEntries(
      Object.entries(others).map(([other, { description, content }]) => [
        other,
        { description, ...(content && { content: contentOf(content, answered(Number(other))) }) },
      ]),
    ),
    ...Object.fromEntries(failures.map((one) => [one, errorAnswer(part.errorFormat, one, answered(one))])),
  };
}
