import type { ApiPart } from '../operation.js';
import { json } from '../operation.js';
import { about, anyObject, list, object, text, varies } from '../schema.js';

/** The state of the process, its figures and its documents. */
export const process: ApiPart = {
  tag: 'Service',
  description: 'The state of the process, its figures and its documents.',
  errorFormat: 'Error',
  access: ['none'],
  errors: [],
  pathParameters: {
    name: { description: 'A document.', schema: text },
  },
  schemas: {},
  operations: {
    'GET /': {
      id: 'start',
      summary: 'Name the service and its paths',
      answer: json(
        object({
          name: { const: 'mirzam' },
          version: varies(text),
          docs: list(text),
          health: text,
          operator: list(text),
        }),
      ),
    },
    'GET /health': {
      id: 'health',
      summary: 'Tell whether rules can be served',
      answer: json(object({ status: { const: 'ok' } })),
      examples: [{ name: 'ok', answer: { status: 'ok' } }],
    },
    'GET /version': {
      id: 'version',
      summary: 'Tell the version',
      answer: json(object({ name: { const: 'mirzam' }, version: varies(text) })),
      examples: [{ name: 'any', answer: { name: 'mirzam', version: '0.1.0' } }],
    },
    'GET /metrics': {
      id: 'metrics',
      summary: 'Show the figures for Prometheus',
      access: ['operator'],
      answer: { 'text/plain': text },
      errors: [401],
    },
    'GET /openapi.json': {
      id: 'openApi',
      summary: 'Show this document',
      answer: json(about('An OpenAPI document, version 3.1.', anyObject)),
      answerHeaders: { ETag: text },
      others: { 304: { description: 'The document of `If-None-Match` is current.' } },
    },
    'GET /docs/{name}': {
      id: 'showDocument',
      summary: 'Show a document of the service as Markdown',
      answer: { 'text/plain': text },
      errors: [404],
    },
  },
};
