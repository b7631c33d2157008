import { expect } from 'chai';
import fc from 'fast-check';
import { assetIdOf, hashOf } from '../../../src/ledger/content/content-hash.js';
import { queryOperation, retrieveOperation } from '../../../src/ledger/content/operations.js';
import { PLAIN } from './bodies.js';
import { NEAR, fault, parameters, query } from './query-texts.js';
import { refused } from './refused.js';
import { ANY_CHARACTER } from '../../any-character.js';

describe('querying entities', () => {
  it('is recorded under Related-Entity, or the default, with the hash of the query object', () => {
    const given = parameters(`type=A,B&limit=5&offset=0&${NEAR}`);
    const { hash, assetId, entities, ...rest } = queryOperation(given, undefined, { ...PLAIN, link: '<x>' });
    const expected = {
      type: 'A,B',
      limit: 5,
      offset: 0,
      link: '<x>',
      georel: 'near;maxDistance==200',
      geometry: 'Point',
      coordinates: '[1,2]',
    };
    expect(rest).to.include({ name: 'query', link: '<x>' });
    expect(rest.query).to.deep.equal(expected);
    expect(hash).to.equal(hashOf(expected));
    expect(entities).to.deep.equal(['urn:ngsi-ld:requestor:default']);
    expect(assetId).to.equal(assetIdOf('urn:ngsi-ld:requestor:default'));
    expect(queryOperation(given, 'urn:a:b', PLAIN)).to.include({ assetId: assetIdOf('urn:a:b') });
    expect(queryOperation(given, 'urn:a:b', PLAIN).entities).to.deep.equal(['urn:a:b']);
  });

  it('needs a Related-Entity that is a URI', () => {
    for (const related of ['', 'x', 'urn:a b']) {
      expect(refused(() => queryOperation(new Map(), related, PLAIN))).to.match(
        /^Related-Entity: must be a URI/,
      );
    }
  });

  it('needs no parameter', () => {
    expect(query('')).to.deep.equal({});
  });

  for (const text of [
    'id=urn:a:b',
    'id=urn:a:b,http://example.org/c',
    'idPattern=^urn:(a|b).*$',
    'type=A',
    'type=A,https://example.org/B',
    'attrs=a,b,c',
    'q=a%3E1;b==%22x%22',
    'csf=x',
    'geoproperty=location',
    'limit=1',
    'limit=100',
    'offset=9007199254740991',
    'options=keyValues',
    'options=sysAttrs',
    NEAR,
    'georel=near%3BminDistance%3D%3D0.5&geometry=Point&coordinates=[1.5,-2,3]',
    'georel=within&geometry=Polygon&coordinates=[[[0,0],[1,0],[1,1],[0,0]]]&geoproperty=observationSpace',
    'georel=intersects&geometry=MultiLineString&coordinates=[[[0,0],[1,0]]]',
  ]) {
    it(`may have ${text}`, () => {
      expect(Object.keys(query(text) ?? {})).to.deep.equal([...parameters(text).keys()]);
    });
  }

  for (const [text, message] of [
    ...['id=', 'id=x', 'id=urn:a:b,', 'id=urn:a:b,%20urn:c:d'].map(
      (text) => [text, /^id: each of .* must be a URI/] as const,
    ),
    ['idPattern=(', /^idPattern: must be a regular expression: .* must balance/],
    ...['type=', 'type=a%20b', 'type=A,,B', 'type=A,'].map(
      (text) => [text, /^type: each of .* an NGSI-LD name/] as const,
    ),
    ...['attrs=', 'attrs=a-b', 'attrs=a,'].map(
      (text) => [text, /^attrs: each of .* an NGSI-LD name/] as const,
    ),
    ['q=', /^q: must not be empty$/],
    ['csf=', /^csf: must not be empty$/],
    ['geoproperty=', /^geoproperty: must be an NGSI-LD name/],
    ...['0', '101', '-1', '1.5', '1e1', '', 'x', '0x1', ' 1', '+1', '99999999999999999999'].map(
      (limit) => [`limit=${encodeURIComponent(limit)}`, /^limit: must be an integer from 1 to 100$/] as const,
    ),
    ...['-1', '1.5', '', '9007199254740992'].map(
      (offset) => [`offset=${offset}`, /^offset: must be an integer/] as const,
    ),
    ...['', 'x', 'keyvalues', 'keyValues,sysAttrs'].map(
      (word) => [`options=${word}`, /^options: must be one of keyValues, sysAttrs$/] as const,
    ),
    ['limit=5&limit=5', /^limit: must be given once$/],
    ['a%20b=1', /^\["a b"\]: is no parameter here; there are id, idPattern, type, /],
    ['__proto__=1', /^__proto__: is no parameter here/],
    ['link=1', /^link: is no parameter here/],
    ['limit=0&offset=-1&q=', /^limit: .*; offset: .*; q: /],
  ] as const) {
    it(`must not have ${text.slice(0, 60)}`, () => {
      expect(fault(text)).to.match(message);
    });
  }

  it('throws nothing but a bad request, whatever is given', () => {
    const names = [
      'id',
      'idPattern',
      'type',
      'attrs',
      'q',
      'georel',
      'geometry',
      'coordinates',
      'limit',
      '__proto__',
    ];
    const given = fc.array(
      fc.tuple(
        fc.oneof(fc.constantFrom(...names), fc.string()),
        fc.array(
          fc.oneof(
            fc.string({ unit: ANY_CHARACTER }),
            fc.json(),
            fc.constantFrom('Point', 'within', '\ud800'),
          ),
        ),
      ),
    );
    fc.assert(
      fc.property(given, fc.option(fc.string(), { nil: undefined }), (entries, text) => {
        for (const work of [
          () => queryOperation(new Map(entries), text, { ...PLAIN, link: text }),
          () => retrieveOperation(text ?? 'urn:a:b', new Map(entries), PLAIN),
        ]) {
          try {
            const { hash, query } = work();
            expect(hash).to.equal(hashOf(query));
          } catch (error) {
            expect(error).to.have.property('code', 'bad-request');
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
