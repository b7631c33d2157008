import { expect } from 'chai';
import fc from 'fast-check';
import { batchContent } from '../../../src/ledger/content/batch-content.js';
import { hashOf } from '../../../src/ledger/content/content-hash.js';
import { createOperation, updateOperation } from '../../../src/ledger/content/operations.js';
import { PLAIN, entity, nearlyNgsi } from './bodies.js';
import { cases } from '../../cases.js';

/** Checks that the work returns, or throws a bad request. */
function isJudged(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    expect(error).to.have.property('name', 'Refusal');
    expect(error).to.have.property('code', 'bad-request');
    return false;
  }
}

describe('any JSON value as a body', () => {
  it('is an operation with the hash of it all, or a bad request', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        nearlyNgsi,
        nearlyNgsi,
        fc.constantFrom('a', 'location', '__proto__'),
        (value, other, name) => {
          const body = { ...entity(), [name]: value, b: other };
          const isTaken = isJudged(() => {
            expect(createOperation(body, PLAIN).hash).to.equal(hashOf(body));
          });
          if (isTaken) taken += 1;
          const ids = { id: 'urn:a:b', rest: value };
          isJudged(() => createOperation(value, PLAIN));
          isJudged(() =>
            createOperation({ ...ids, type: other, '@context': other }, { ...PLAIN, ldJson: true }),
          );
          isJudged(() => updateOperation('urn:a:b', value, PLAIN));
          isJudged(() => updateOperation('urn:a:b', { id: other, [name]: value }, PLAIN));
        },
      ),
      { numRuns: 2_000 },
    );
    expect(taken).to.be.greaterThan(200);
  });

  it('is a batch, or a bad request', () => {
    fc.assert(
      fc.property(nearlyNgsi, fc.array(nearlyNgsi, { maxLength: 3 }), (value, list) => {
        for (const body of [value, list, [entity(), value], list.map((a) => entity({ a }))]) {
          isJudged(() => batchContent(Buffer.from(JSON.stringify(body)), PLAIN));
        }
      }),
      { numRuns: cases(1_000, 200) },
    );
  });

  it('may be 500 levels deep', () => {
    let value: unknown = 1;
    for (let level = 0; level < 499; level += 1) value = level % 2 === 0 ? { value } : [value];
    expect(createOperation(entity({ a: value }), PLAIN).hash).to.equal(hashOf(entity({ a: value })));
  });
});
