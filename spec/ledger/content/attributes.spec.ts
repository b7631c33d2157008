import { expect } from 'chai';
import { createOperation } from '../../../src/ledger/content/operations.js';
import { entity, PLAIN, withAttribute } from './bodies.js';
import { refused } from './refused.js';

const fault = (value: unknown, name?: string) => refused(() => withAttribute(value, name));

describe('an attribute', () => {
  for (const value of [
    { type: 'Property', value: 1 },
    { type: 'Property', value: { a: null, nested: [{ value: null }] } },
    {
      type: 'Property',
      value: '',
      unitCode: 'CEL',
      datasetId: 'urn:a:b',
      observedAt: '2024-05-31T12:30:00Z',
    },
    { type: 'Property', value: { '@type': 'DateTime', '@value': '2024-05-31T12:30:00Z' } },
    { type: 'GeoProperty', value: { type: 'Point', coordinates: [1, 2] } },
    { type: 'GeoProperty', value: 'urn:ngsi-ld:null' },
    { type: 'Relationship', object: 'urn:a:b' },
    { type: 'Relationship', object: ['urn:a:b', 'http://example.org/c'], objectType: 'Store' },
    { type: 'LanguageProperty', languageMap: { en: 'x', 'de-CH': ['y', 'z'], '@none': '' } },
    { type: 'LanguageProperty', languageMap: 'urn:ngsi-ld:null' },
    { type: 'VocabProperty', vocab: 'spruce' },
    { type: 'VocabProperty', vocab: ['spruce', 'fir'] },
    { type: 'JsonProperty', json: { type: 'Relationship', object: null } },
    { type: 'ListProperty', valueList: [1, 'a', null, [2]] },
    { type: 'ListRelationship', objectList: [{ object: 'urn:a:b' }, { object: 'urn:a:c' }] },
    { type: 'ListRelationship', objectList: ['urn:a:b'] },
  ]) {
    it(`may be ${JSON.stringify(value)}, with or without its type`, () => {
      withAttribute(value);
      const { type, ...inferred } = value;
      withAttribute(inferred);
      expect(type).to.be.a('string');
    });
  }

  for (const value of [
    1,
    'x',
    true,
    '',
    [],
    {},
    [1, null],
    ['urn:a:b'],
    [[1]],
    {
      a: 1,
      b: null,
    },
    {
      type: 'Point',
      coordinates: [1, 2],
    },
    {
      type: 'Store',
      name: 'x',
    },
    {
      '@type': '@json',
      '@value': null,
    },
    { '@id': 'urn:a:b' },
    { '@list': [1] },
    { type: 7 },
    { type: ['Property'] },
    { type: null },
  ]) {
    it(`may be the bare value ${JSON.stringify(value)}`, () => {
      withAttribute(value);
    });
  }

  for (const [value, message] of [
    [null, ': must not be null'],
    [{ type: 'Property' }, '.value: is required in a Property'],
    [{ type: 'Property', value: null }, '.value: must not be null'],
    [{ value: null }, '.value: must not be null'],
    [{ type: 'Property', object: 'urn:a:b' }, '.value: is required in a Property'],
    [
      { type: 'property', value: 1 },
      '.type: must be a type of attributes: Property, GeoProperty, Relationship, Lang',
    ],
    [{ type: null, value: 1 }, '.type: must be a type of attributes: '],
    [{ type: 'toString', value: 1 }, '.type: must be a type of attributes: '],
    [{ value: 1, object: 'urn:a:b' }, ': must have a type, or only one of value, object'],
    [{ value: { type: 'Point', coordinates: 'x' } }, '.value.coordinates: must be a position'],
    [{ type: 'GeoProperty', value: 'x' }, '.value: must be a GeoJSON geometry'],
    [{ type: 'Relationship' }, '.object: is required in a Relationship'],
    [{ type: 'Relationship', object: 'x' }, '.object: must be a URI'],
    [{ type: 'Relationship', object: [] }, '.object: must be a URI'],
    [{ type: 'Relationship', object: ['urn:a:b', 'x'] }, '.object: must be a URI'],
    [{ object: { id: 'urn:a:b' } }, '.object: must be a URI'],
    [{ type: 'LanguageProperty', languageMap: 'x' }, '.languageMap: must be an object of language tags'],
    [{ languageMap: { en: 1 } }, '.languageMap: must be an object'],
    [{ languageMap: { 'not a tag': 'x' } }, '.languageMap: must be an object'],
    [{ type: 'VocabProperty', vocab: {} }, '.vocab: must be a string'],
    [{ vocab: ['a', 1] }, '.vocab: must be a string'],
    [{ type: 'JsonProperty', json: null }, '.json: must not be null'],
    [{ type: 'ListProperty', valueList: 'x' }, '.valueList: must be an array'],
    [{ type: 'ListRelationship', objectList: [{ object: 'x' }] }, '.objectList: must be an array of URIs'],
    [{ objectList: 'urn:a:b' }, '.objectList: must be an array of URIs'],
    [{ type: 'Property', value: 1, unitCode: 7 }, '.unitCode: must be a string'],
    [{ type: 'Property', value: 1, datasetId: null }, '.datasetId: must be a string'],
    [{ type: 'Property', value: 1, observedAt: 'yesterday' }, '.observedAt: must be a date and time'],
    [{ type: 'Property', value: 1, createdAt: '2023-02-29T00:00:00Z' }, '.createdAt: must be a date'],
    [{ type: 'Property', value: 1, modifiedAt: 1717158600 }, '.modifiedAt: must be a date and time'],
  ] as const) {
    it(`must not be ${JSON.stringify(value)}`, () => {
      expect(fault(value)).to.contain(`attribute${message}`).and.not.contain(';');
    });
  }

  it('names the types once, however many attributes have none', () => {
    const attributes = { a: { type: 'x', value: 1 }, b: { type: 'y', value: 2 } };
    const faults = refused(() => createOperation(entity(attributes), PLAIN)).split('; ');
    expect(faults[0]).to.match(/^a\.type: must be a type of attributes: Property, .*ListRelationship$/);
    expect(faults.slice(1)).to.deep.equal(['b.type: must be a type of attributes']);
  });

  it('of NGSIv2 is recognized, in one sentence', () => {
    const attributes = {
      temperature: { type: 'Number', value: 21, metadata: {} },
      name: { type: 'Text', value: 'barn', metadata: {} },
      location: { type: 'geo:json', value: { type: 'Point', coordinates: [1, 2] } },
    };
    expect(refused(() => createOperation(entity(attributes), PLAIN)).split('; ')).to.deep.equal([
      'temperature.type: must be Property: this looks like NGSIv2, whose types of attributes NGSI-LD does not have',
      'name.type: must be Property',
      'location.type: must be GeoProperty',
    ]);
  });

  it('is checked with its own attributes, at every level', () => {
    withAttribute({
      type: 'Property',
      value: 1,
      accuracy: { type: 'Property', value: 2, by: { object: 'urn:a:b' } },
    });
    withAttribute({
      type: 'GeoProperty',
      value: { type: 'Point', coordinates: [1, 2] },
      at: { type: 'Point' },
    });
    const deep = { value: 1, a: { value: 2, b: { value: 3, c: { type: 'Relationship', object: 'x' } } } };
    expect(fault(deep)).to.match(/^attribute\.a\.b\.c\.object: must be a URI/);
    expect(fault({ value: 1, a: null })).to.equal('attribute.a: must not be null');
    expect(fault({ value: 1, 'a b': 2 })).to.match(/^attribute\["a b"\]: its name must be an NGSI-LD name/);
    expect(fault({ type: 'x', value: 1, a: { value: null } })).to.match(
      /attribute\.a\.value: must not be null/,
    );
  });

  it('may be an array of attributes, each checked', () => {
    withAttribute([
      { type: 'Property', value: 1 },
      { type: 'Property', value: 2, datasetId: 'urn:a:b' },
    ]);
    const message = fault([{ value: 1 }, { type: 'Relationship' }, 7, { value: null }]);
    expect(message).to.equal(
      'attribute[1].object: is required in a Relationship; attribute[3].value: must not be null',
    );
  });

  for (const name of ['location', 'observationSpace', 'operationSpace']) {
    it(`with the name ${name} is a GeoProperty, or a bare value`, () => {
      const point = { type: 'Point', coordinates: [1, 2] };
      for (const value of [
        point,
        { value: point },
        { type: 'GeoProperty', value: point },
        'urn:ngsi-ld:null',
      ]) {
        withAttribute(value, name);
      }
      withAttribute([{ value: point }, { value: point, datasetId: 'urn:a:b' }], name);
      expect(fault({ value: 'here' }, name)).to.contain(`${name}.value: must be a GeoJSON geometry`);
      expect(fault({ type: 'Property', value: point }, name)).to.equal(`${name}: must be a GeoProperty`);
      expect(fault({ object: 'urn:a:b' }, name)).to.equal(`${name}: must be a GeoProperty`);
      expect(fault([{ type: 'Relationship', object: 'urn:a:b' }], name)).to.equal(
        `${name}[0]: must be a GeoProperty`,
      );
    });
  }

  it('has a name of NGSI-LD or a full IRI; keywords of JSON-LD are no attributes', () => {
    for (const name of ['a', 'a_1', 'schema:name', 'a#1', 'https://example.org/a-b', '__proto__', '@graph']) {
      withAttribute(1, name);
    }
    for (const name of ['', 'a b', 'a-b', 'ä', 'a:b:c', '@', '@a b']) {
      expect(fault(1, name)).to.contain(': its name must be an NGSI-LD name');
    }
  });
});
