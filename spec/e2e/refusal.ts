import { STATUS_CODES } from 'node:http';
import { expect } from 'chai';
import type { ApiAnswer } from './api-client.js';

/** Fails unless the answer is an error in the documented shape (policy §7) with these words in its message. */
export function expectRefusal(answer: ApiAnswer, status: number, ...words: readonly string[]): void {
  expect(answer.status, answer.text).to.equal(status);
  expect(answer.headers.get('content-type')).to.match(/^application\/json/);
  expect(answer.headers.get('x-request-id')).to.match(/^[\w-]{8,}$/);
  expect(Object.keys(answer.body)).to.deep.equal(['error']);
  const { message, ...rest } = answer.body.error!;
  expect(rest).to.deep.equal({ code: status, title: STATUS_CODES[status] });
  expect(message).to.be.a('string');
  for (const word of words) expect(message).to.include(word);
  if (status === 503) expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
  if (status === 401) expect(answer.headers.get('www-authenticate')).to.match(/^Keystone uri="http/);
}
