import { expect } from 'chai';
import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import { retrieveOperation } from '../../../src/ledger/content/operations.js';
import { PLAIN } from './bodies.js';
import { parameters } from './query-texts.js';
import { refused } from './refused.js';

const ID = 'urn:ngsi-ld:Store:1';
const retrieval = (text: string) => retrieveOperation(ID, parameters(text), PLAIN).query;

describe('retrieving an entity', () => {
  it('is recorded under its id, with the hash of the query object that names it', () => {
    const operation = retrieveOperation(ID, parameters('attrs=a,b&type=Store&options=sysAttrs'), {
      tenant: 'shop',
      link: '<x>',
      ldJson: false,
    });
    const expected = { attrs: 'a,b', type: 'Store', options: 'sysAttrs', entityId: ID, link: '<x>' };
    expect(operation.query).to.deep.equal(expected);
    expect(operation).to.include({
      name: 'retrieve',
      assetId: assetIdOf(ID),
      hash: hashOf(expected),
      tenant: 'shop',
    });
    expect(operation.entities).to.deep.equal([ID]);
    expect(retrieval('')).to.deep.equal({ entityId: ID });
  });

  it('needs an id that is a URI', () => {
    for (const id of ['', 'x', 'urn:a b']) {
      expect(refused(() => retrieveOperation(id, new Map(), PLAIN))).to.match(/^entityId: must be a URI/);
    }
  });

  for (const [text, message] of [
    ['attrs=', /^attrs: /],
    ['type=A,B', /^type: must be an NGSI-LD name/],
    ['options=x', /^options: must be one of/],
    ['limit=5', /^limit: is no parameter here; there are attrs, type, options$/],
    ['entityId=urn:a:b', /^entityId: is no parameter/],
    ['type=A&type=A', /^type: must be given once$/],
  ] as const) {
    it(`must not have ${text}`, () => {
      expect(refused(() => retrieval(text))).to.match(message);
    });
  }
});
