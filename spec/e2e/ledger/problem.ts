import { STATUS_CODES } from 'node:http';
import { expect } from 'chai';
import type { ApiAnswer } from '../api-client.js';

const ETSI = 'https://uri.etsi.org/ngsi-ld/errors/';

/** The types of ETSI's own, with their titles. */
const TITLES = {
  InvalidRequest: 'Invalid request',
  BadRequestData: 'Bad request data',
  ResourceNotFound: 'Resource not found',
  InternalError: 'Internal error',
} as const;

/**
 * Fails unless an answer is a problem of this status, as `docs/ledger-api.md` has them, whose detail has these words.
 * The type is one of ETSI's with this name, or about:blank.
 */
export function expectProblem(
  answer: ApiAnswer,
  status: number,
  type: keyof typeof TITLES | 'about:blank',
  ...words: readonly string[]
): void {
  expect(answer.status, answer.text).to.equal(status);
  expectProblemShape(answer);
  const own = type !== 'about:blank';
  expect(answer.body).to.include({
    type: own ? ETSI + type : type,
    title: own ? TITLES[type] : STATUS_CODES[status],
  });
  for (const word of words) expect(answer.body['detail']).to.include(word);
}

/** Fails unless an answer is some problem, with the headers that every one has. */
export function expectProblemShape({ status, headers, body, text }: ApiAnswer): void {
  expect(headers.get('content-type'), text).to.equal('application/problem+json');
  expect(headers.get('cache-control'), text).to.equal('no-store');
  expect(headers.get('x-request-id'), text).to.match(/^[\w-]{8,}$/);
  expect(Object.keys(body).slice(0, 4), text).to.deep.equal(['type', 'title', 'status', 'detail']);
  expect(body['status'], text).to.equal(status);
  expect(body['detail'], text)
    .to.be.a('string')
    .and.not.to.match(/\p{Cc}/u);
  if (status === 503) expect(headers.get('retry-after'), text).to.match(/^\d+$/);
  if (status === 401) expect(headers.get('www-authenticate'), text).to.be.a('string');
  if (status === 405) expect(headers.get('allow'), text).to.include('OPTIONS');
}
