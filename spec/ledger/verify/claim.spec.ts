import { expect } from 'chai';
import fc from 'fast-check';
import { Refusal } from '../../../src/errors.js';
import { claimOf } from '../../../src/ledger/verify/claim.js';
import { refused } from '../../policy/http/refused.js';

const transactionHash = `0x${'ab'.repeat(32)}`;
const entity = { id: 'urn:x', type: 'X' };

describe('the body of a verification', () => {
  for (const content of [
    { entity },
    { entity, proof: [] },
    { entity, proof: [transactionHash] },
    { entities: [entity, entity] },
    { entityId: 'urn:x', fragment: {} },
    { query: {} },
    { query: { limit: 1 }, relatedEntity: 'urn:u' },
  ]) {
    it(`may have ${Object.keys(content).join(' and ')}`, () => {
      expect(claimOf({ transactionHash, ...content })).to.deep.equal({ transactionHash, ...content });
    });
  }

  it('may have hashes in capital letters', () => {
    const upper = `0x${'AB'.repeat(32)}`;
    expect(claimOf({ transactionHash: upper, entity, proof: [upper] })).to.deep.equal({
      transactionHash,
      entity,
      proof: [transactionHash],
    });
  });

  it('is hashed as it came, whatever the names of its members', () => {
    const body = JSON.parse(
      `{"transactionHash":"${transactionHash}","entity":{"id":"urn:x","__proto__":{"a":1},"toJSON":1}}`,
    ) as unknown;
    expect((claimOf(body) as unknown as { entity: unknown }).entity).to.equal(
      (body as { entity: unknown }).entity,
    );
  });

  for (const [body, ...problems] of [
    [{}, 'transactionHash: must be 0x', 'body: must have exactly one of'],
    [{ transactionHash }, 'body: must have exactly one of'],
    [{ transactionHash, entity, query: {} }, 'body: must have exactly one of'],
    [{ transactionHash, entity, entityId: 'urn:x' }, 'body: must have exactly one of'],
    [{ transactionHash, fragment: {} }, 'body: must have exactly one of'],
    [{ transactionHash, query: {}, proof: [] }, 'body: must have exactly one of'],
    [{ transactionHash, entities: [entity], proof: [] }, 'body: must have exactly one of'],
    [{ transactionHash, entities: [] }, 'entities: must be a non-empty array of entities'],
    [
      { transactionHash, entities: [{ type: 'X' }, entity, 7] },
      'entities[0]: must be an entity',
      'entities[2]: must be an entity',
    ],
    [
      { transactionHash, entity, more: 1, receipt: {} },
      'body: must not have other members than transactionHash',
      'it has "more, receipt"',
    ],
    [{ transactionHash, entity: { type: 'X' } }, 'entity: must have an id'],
    [{ transactionHash, entity: { id: 'x' } }, 'entity: must have an id'],
    [{ transactionHash: '0x12', entity: [] }, 'transactionHash: must be', 'entity: must be a JSON object'],
    [{ transactionHash: 7, entity: null }, 'transactionHash: must be', 'entity: must be a JSON object'],
    [
      { transactionHash, entity, proof: ['0x1', transactionHash, 7] },
      'proof[0]: must be',
      'proof[2]: must be',
    ],
    [
      { transactionHash, entity, proof: Array(65).fill(transactionHash) },
      'proof: must be an array of at most 64',
    ],
    [{ transactionHash, entity, proof: null }, 'proof: must be an array'],
    [{ transactionHash, entity, proof: {} }, 'proof: must be an array'],
    [{ transactionHash, entityId: 'no uri', fragment: 'x' }, 'entityId: must be a URI', 'fragment: must be'],
    [{ transactionHash, query: 'x', relatedEntity: 7 }, 'query: must be', 'relatedEntity: must be a URI'],
    [null, 'body: must be a JSON object'],
    [[], 'body: must be a JSON object'],
    ['x', 'body: must be a JSON object'],
  ] as const) {
    it(`must not be ${JSON.stringify(body).slice(0, 60)}`, () => {
      const { code, message } = refused(() => claimOf(body));
      expect(code).to.equal('bad-request');
      for (const problem of problems) expect(message).to.include(problem);
    });
  }

  it('is accepted or refused, whatever it is', () => {
    const member = fc.oneof(
      fc.jsonValue(),
      fc.constant(transactionHash),
      fc.constant(entity),
      fc.constant('urn:x'),
    );
    const body = fc.record(
      {
        transactionHash: member,
        entity: member,
        proof: fc.oneof(member, fc.array(member)),
        entityId: member,
        fragment: member,
        query: member,
        relatedEntity: member,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (given) => {
        try {
          claimOf(given);
        } catch (error) {
          expect(error).to.be.instanceOf(Refusal).and.to.include({ code: 'bad-request' });
        }
      }),
    );
  });
});
