import { expect } from 'chai';
import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import {
  createOperation,
  idempotencyContent,
  queryOperation,
  retrieveOperation,
  updateOperation,
} from '../../../src/ledger/content/operations.js';
import { PLAIN, entity } from './bodies.js';
import { refused } from './refused.js';

const ID = 'urn:ngsi-ld:Store:1';
const LD_JSON = { ...PLAIN, ldJson: true };
const CONTEXT = 'https://example.org/context.jsonld';
const NO_PARAMETERS = new Map<string, string[]>();

describe('creating an entity', () => {
  it('is recorded under its id, with the hash of the whole entity', () => {
    const body = entity({ '@context': [CONTEXT, {}], name: { value: 'x' }, 'schema:a': [1, { b: null }] });
    const link = `<${CONTEXT}>; rel="http://www.w3.org/ns/json-ld#context"`;
    expect(createOperation(body, { tenant: 'shop', link, ldJson: false })).to.deep.equal({
      name: 'create',
      assetId: assetIdOf(ID),
      hash: hashOf(body),
      entities: [ID],
      batch: undefined,
      tenant: 'shop',
      tenantName: undefined,
      link,
      query: undefined,
    });
  });

  it('names every fault of the body at once', () => {
    const body = { id: 'x', type: '', a: null, createdAt: 'now', b: { type: 'Property' }, c: [1, Infinity] };
    expect(
      refused(() => createOperation(body, PLAIN))
        .split('; ')
        .map((fault) => fault.split(': ')[0]),
    ).to.deep.equal(['id', 'type', 'a', 'createdAt', 'b.value', 'c[1]']);
  });

  it('names at most twenty faults, and says that there are more', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`a${i}`, null]));
    const message = refused(() => createOperation(entity(many), PLAIN));
    expect(message)
      .to.match(/a19: must not be null; and 4980 more$/)
      .and.have.length.below(1_000);
    const long = refused(() =>
      createOperation(entity({ ['x'.repeat(100_000)]: { value: 1, [' '.repeat(9_000)]: null } }), PLAIN),
    );
    expect(long).to.have.length.below(2_000);
    let deep: object | null = null;
    for (let level = 0; level < 200; level += 1) deep = { value: 1, attribute: deep };
    expect(refused(() => createOperation(entity({ deep }), PLAIN)))
      .to.match(/^deep\.attr.*….*\.attribute: must not be null$/)
      .and.have.length.below(300);
  });

  for (const body of [undefined, null, 7, 'x', true, [], [entity()]]) {
    it(`needs an object, not ${JSON.stringify(body)?.slice(0, 10)}`, () => {
      expect(refused(() => createOperation(body, PLAIN))).to.match(/^body: must be a JSON object/);
    });
  }

  it('needs an id and a type as own members', () => {
    expect(refused(() => createOperation({}, PLAIN))).to.match(/^id: is required.*; type: is required/);
    const inherited: unknown = JSON.parse('{"__proto__":{"id":"urn:a:b","type":"T"}}');
    expect(refused(() => createOperation(inherited, PLAIN))).to.match(
      /^id: is required.*; type: is required/,
    );
    for (const id of ['', 'x', 'urn:a b', 7, null, ['urn:a:b']]) {
      expect(refused(() => createOperation(entity({ id }), PLAIN))).to.match(/^id: must be a URI/);
    }
  });

  const NAMES = ['Store', 'a:b#1', 'https://example.org/Store'];
  for (const type of [...NAMES, NAMES, ['Store']]) {
    it(`takes the type ${JSON.stringify(type)}, and hashes it as it is`, () => {
      expect(createOperation(entity({ type }), PLAIN).hash).to.equal(hashOf(entity({ type })));
      expect(updateOperation(ID, { type, a: 1 }, PLAIN).hash).to.equal(hashOf({ type, a: 1 }));
    });
  }

  for (const type of [
    '',
    'a b',
    'a:b:c',
    7,
    null,
    {},
    [],
    [''],
    ['Store', 'a b'],
    ['Store', 7],
    [['Store']],
  ]) {
    it(`does not take the type ${JSON.stringify(type)}`, () => {
      const message = /^type: must be an NGSI-LD name .*, or a non-empty array of these$/;
      expect(refused(() => createOperation(entity({ type }), PLAIN))).to.match(message);
      expect(refused(() => updateOperation(ID, { type, a: 1 }, PLAIN))).to.match(message);
    });
  }

  it('accepts dates of ISO 8601 only', () => {
    createOperation(entity({ createdAt: '2024-05-31T12:30:00Z', observedAt: { value: 1 } }), PLAIN);
    for (const name of ['createdAt', 'modifiedAt', 'observedAt']) {
      expect(refused(() => createOperation(entity({ [name]: '2024-02-30T00:00:00Z' }), PLAIN))).to.match(
        new RegExp(`^${name}: must be a date and time`),
      );
    }
  });

  it('accepts a @context as the content type requires', () => {
    for (const context of [CONTEXT, {}, [], [CONTEXT, { a: 'b' }]]) {
      createOperation(entity({ '@context': context }), LD_JSON);
      createOperation(entity({ '@context': context }), { ...PLAIN, link: 'x' });
    }
    expect(refused(() => createOperation(entity(), LD_JSON))).to.match(/^@context: is required/);
    expect(refused(() => createOperation(entity({ '@context': {} }), { ...LD_JSON, link: 'x' }))).to.match(
      /^Link: /,
    );
    for (const context of [null, 7, '', [null]]) {
      expect(refused(() => createOperation(entity({ '@context': context }), PLAIN))).to.match(
        /^@context: must be/,
      );
    }
  });
});

describe('updating an entity', () => {
  it("is recorded under the path's id, with the hash of the fragment as it is", () => {
    for (const body of [{ a: 1 }, { id: ID, a: { value: 1 } }, entity({ '@context': CONTEXT, a: 'b' })]) {
      expect(updateOperation(ID, body, PLAIN)).to.include({
        name: 'update',
        assetId: assetIdOf(ID),
        hash: hashOf(body),
      });
      expect(updateOperation(ID, body, PLAIN).entities).to.deep.equal([ID]);
    }
  });

  it('needs a fragment that is not of another entity', () => {
    for (const body of [{}, { '@context': CONTEXT }]) {
      expect(refused(() => updateOperation(ID, body, PLAIN))).to.equal('body: must have an attribute');
    }
    expect(refused(() => updateOperation(ID, { id: 'urn:a:b', c: 1 }, PLAIN))).to.match(
      /^id: must be the id in the/,
    );
    expect(refused(() => updateOperation(ID, { id: 7, type: ' ', c: null }, PLAIN))).to.match(
      /^id: .*; type: .*; c: /,
    );
    expect(refused(() => updateOperation(ID, [], PLAIN))).to.equal('body: must be a JSON object');
    expect(refused(() => updateOperation('x', { a: 1 }, PLAIN))).to.match(/^entityId: must be a URI/);
    expect(refused(() => updateOperation(ID, { a: 1 }, LD_JSON))).to.match(/^@context: is required/);
  });
});

describe('the Idempotency-Key', () => {
  const create = createOperation(entity(), PLAIN);
  const query = queryOperation(NO_PARAMETERS, undefined, PLAIN);

  it('covers the same content in any spelling', () => {
    const again = createOperation({ type: 'Store', id: ID }, { ...PLAIN, link: 'x' });
    expect(idempotencyContent(again, {})).to.equal(idempotencyContent(create, {}));
    expect(idempotencyContent(create, {})).to.match(/^[\da-f]{64}$/);
  });

  it('covers operation, path id, query, Related-Entity, body and tenant', () => {
    const contents = [
      idempotencyContent(create, {}),
      idempotencyContent(createOperation(entity({ a: 1 }), PLAIN), {}),
      idempotencyContent(createOperation(entity(), { ...PLAIN, tenant: 'a' }), {}),
      idempotencyContent(updateOperation(ID, entity(), PLAIN), { entityId: ID }),
      idempotencyContent(updateOperation('urn:a:b', { a: 1 }, PLAIN), { entityId: 'urn:a:b' }),
      idempotencyContent(updateOperation(ID, { a: 1 }, PLAIN), { entityId: ID }),
      idempotencyContent(query, {}),
      idempotencyContent(query, { relatedEntity: 'urn:a:b' }),
      idempotencyContent(queryOperation(new Map([['q', ['a']]]), undefined, PLAIN), {}),
      idempotencyContent(queryOperation(NO_PARAMETERS, undefined, { ...PLAIN, link: 'x' }), {}),
      idempotencyContent(retrieveOperation(ID, NO_PARAMETERS, PLAIN), { entityId: ID }),
    ];
    expect(new Set(contents).size).to.equal(contents.length);
  });
});
