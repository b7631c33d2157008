import { type ApiPart, HTML_PAGE, json, type Operation, refusal } from '../operation.js';
import { about, anyObject, list, object, ref, type Schema, text, time, varies } from '../schema.js';
import { startLinks } from '../start.js';

const health: Pick<Operation, 'description' | 'answer' | 'examples'> = {
  description:
    'Also 200 while dependencies other than the database are down, or up with a warning. `parts` names them, with the reason.',
  answer: json(ref('Health')),
  examples: { ok: { answer: { status: 'ok' } } },
};

const away = object({
  status: { const: 'away' },
  since: time,
  detail: about('Why, with the host of the dependency. For operators alone.', varies(text)),
});

const chain: Schema = {
  oneOf: [
    away,
    object({
      status: { const: 'up' },
      since: time,
      warning: about('What is wrong: its contract cannot emit the event.', varies(text)),
    }),
  ],
};

/** The answer to a request that names what it has by `If-None-Match`. */
const NOT_MODIFIED = { 304: { description: 'The content of `If-None-Match` is current.' } };

/** Returns an operation whose answer has one media type, and is kept by browsers: they ask with `If-None-Match`. */
function kept(type: string, operation: Omit<Operation, 'answer'>): Operation {
  return { ...operation, answer: { [type]: varies(text) }, others: NOT_MODIFIED };
}

/** The state of the process, its figures and its documents. */
export const process: ApiPart = {
  tag: 'Service',
  description: 'The state of the process, its figures and its documents.',
  errorFormat: 'Error',
  access: ['none'],
  pathParameters: {
    name: { description: 'A document.', schema: text },
    part: { description: 'A group of operations, or `schemas`.', schema: text },
  },
  schemas: {
    Health: {
      oneOf: [
        object({ status: { const: 'ok' } }),
        object({
          status: { const: 'degraded' },
          parts: {
            ...object({ 'chain?': chain, 'broker?': away, 'mqtt?': away, 'mail?': away, 'identity?': away }),
            minProperties: 1,
          },
        }),
      ],
    },
  },
  operations: {
    'GET /': {
      id: 'start',
      summary: 'Name the service and its paths',
      description: 'A browser is sent to the console.',
      others: { 302: { description: 'To `/console`, for a client that prefers HTML.' } },
      answer: json(
        object({
          name: { const: 'mirzam' },
          version: varies(text),
          docs: list(text),
          openapi: text,
          health: text,
          operator: list(text),
        }),
      ),
      examples: { 'for-programs': { answer: startLinks('0.1.0') } },
    },
    'GET /health': {
      id: 'health',
      summary: 'Tell whether rules can be served',
      ...health,
    },
    'GET /health/ready': {
      id: 'healthReady',
      summary: 'Tell whether to send requests to the service',
      ...health,
      description: `${health.description} Also 503 from the beginning of a stop on.`,
    },
    'GET /health/live': {
      id: 'healthLive',
      summary: 'Tell that the process answers',
      answer: json(object({ status: { const: 'ok' } })),
      examples: { alive: { answer: { status: 'ok' } } },
    },
    'GET /version': {
      id: 'version',
      summary: 'Tell the version',
      answer: json(object({ name: { const: 'mirzam' }, version: varies(text) })),
      examples: { any: { answer: { name: 'mirzam', version: '0.1.0' } } },
    },
    'GET /metrics': {
      id: 'metrics',
      summary: 'Show the figures for Prometheus',
      access: ['operator'],
      answer: { 'text/plain': varies(text) },
      errors: [401],
      examples: {
        all: {
          answer:
            '# HELP mirzam_facts_total Accepted measurements\n# TYPE mirzam_facts_total counter\nmirzam_facts_total 6\n…',
        },
      },
    },
    'GET /openapi.json': {
      id: 'openApi',
      summary: 'Show this document',
      answer: json(about('An OpenAPI document, version 3.1.', varies(anyObject))),
      headers: { ETag: { schema: text } },
      others: NOT_MODIFIED,
      examples: { this: { answer: { openapi: '3.1.0', '…': '…' } } },
    },
    'GET /schemas/rules.json': {
      id: 'rulesFileSchema',
      summary: 'Show the schema of a file of rules',
      description: 'Of the files of `mirzam rules`, for editors and validators.',
      answer: { 'application/schema+json': about('A JSON Schema, version 2020-12.', varies(anyObject)) },
      headers: { ETag: { schema: text } },
      others: NOT_MODIFIED,
      examples: {
        this: { answer: { $schema: 'https://json-schema.org/draft/2020-12/schema', '…': '…' } },
      },
    },
    'GET /verify': kept('text/html', {
      id: 'showVerifyPage',
      summary: 'Show the page that verifies proof files',
      description: 'One file, which also works as a saved copy. It makes no requests.',
      examples: { page: { answer: HTML_PAGE } },
    }),
    'GET /docs': kept('text/html', {
      id: 'showReference',
      summary: 'Show the operations of this document',
      examples: { all: { answer: HTML_PAGE } },
    }),
    'GET /docs/api/{part}': kept('text/html', {
      id: 'showReferencePart',
      summary: 'Show a part of this document as a page',
      examples: {
        'this-part': { parameters: { part: 'service' }, answer: HTML_PAGE },
        'unknown-part': {
          parameters: { part: 'nothing' },
          ...refusal(404, 'no document "api/nothing"; /docs lists the documents'),
        },
      },
    }),
    'GET /docs/search-index': {
      id: 'showSearchIndex',
      summary: 'What the search of the pages finds',
      answer: { 'application/json': varies(list(list(text, { minItems: 4, maxItems: 4 }))) },
      others: NOT_MODIFIED,
      examples: {
        all: {
          answer: [
            ['Tell whether rules can be served', 'Service', '/docs/api/service#health', 'GET /health'],
          ],
        },
      },
    },
    'GET /docs/script.js': kept('text/javascript', {
      id: 'showScript',
      summary: 'The script of the pages',
      examples: { all: { answer: '(()=>{…' } },
    }),
    'GET /docs/style.css': kept('text/css', {
      id: 'showStyle',
      summary: 'The stylesheet of the pages',
      examples: { all: { answer: ':root {…' } },
    }),
    'GET /docs/icon.svg': kept('image/svg+xml', {
      id: 'showIcon',
      summary: 'The icon of the pages',
      examples: { icon: { answer: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">…' } },
    }),
    'GET /docs/images/{name}': {
      id: 'showImage',
      summary: 'A picture in a document',
      answer: { 'image/png': text, 'image/svg+xml': text },
      others: NOT_MODIFIED,
    },
    'GET /docs/{name}': {
      id: 'showDocument',
      summary: 'Show a document of the service',
      description: 'As a page for a client that prefers HTML, else as Markdown.',
      answer: { 'text/plain': varies(text), 'text/html': text },
      others: NOT_MODIFIED,
      examples: {
        'as-markdown': { parameters: { name: 'glossary' }, answer: '# Glossary…' },
        unknown: {
          parameters: { name: 'nothing' },
          ...refusal(404, 'no document "nothing"; /docs lists the documents'),
        },
      },
    },
  },
};
