import { expect } from 'chai';
import { Problems } from '../../../src/errors.js';
import { readEntity } from '../../../src/policy/facts/entity-attributes.js';
import { elementsOf } from '../../../src/policy/facts/facts.js';

const read = (entity: object) => readEntity(entity as Readonly<Record<string, unknown>>, 'data[0]');
const valuesOf = (entity: object) => read(entity).map(({ name, value }) => [name, value]);

describe('an entity of a notification', () => {
  it('has no attributes in its id, type, context and times', () => {
    const given = {
      '@context': 'https://uri.etsi.org/ngsi-ld/v1/ngsi-ld-core-context.jsonld',
      id: 'urn:ngsi-ld:host:web-1',
      type: 'host',
      createdAt: '2026-11-23T12:00:00Z',
      modifiedAt: '2026-11-23T12:00:00Z',
    };
    expect(read(given)).to.deep.equal([]);
    expect(valuesOf({ ...given, cpuLoadPct: { type: 'Property', value: 1 } })).to.deep.equal([
      ['cpuLoadPct', 1],
    ]);
  });

  for (const absent of [
    null,
    { type: 'Number', value: null, metadata: {} },
    { type: 'Property', value: 'urn:ngsi-ld:null' },
    'urn:ngsi-ld:null',
    { '@type': 'Intangible', '@value': null },
    { type: 'Property', value: { '@type': 'Intangible', '@value': null } },
    [{ '@type': 'Intangible', '@value': null }],
    [{ '@value': null }, { type: 'Property', value: 6, datasetId: 'urn:x:1' }],
    ['urn:ngsi-ld:null'],
    { type: 'Property', value: 6, datasetId: 'urn:x:1' },
    [{ type: 'Property', value: 6, datasetId: 'urn:x:1' }],
    [
      { type: 'Property', value: null },
      { type: 'Property', value: 6, datasetId: 'urn:x:1' },
    ],
    [],
    [null],
  ]) {
    it(`has no attribute in ${JSON.stringify(absent)}; the others stay`, () => {
      expect(valuesOf({ cpuLoadPct: absent, usedMemPct: { value: 3 } })).to.deep.equal([['usedMemPct', 3]]);
    });
  }

  it('has the instance of an attribute without a datasetId, wherever it stands', () => {
    const other = { type: 'Property', value: 4, datasetId: 'urn:x:1' };
    const counted = { type: 'Property', value: 3 };
    for (const cpuLoadPct of [
      [counted, other],
      [other, counted],
      [other, { ...counted, datasetId: '@none' }],
      [other, { ...counted, datasetId: null }],
      [null, counted],
    ]) {
      expect(valuesOf({ cpuLoadPct })).to.deep.equal([['cpuLoadPct', 3]]);
    }
    expect(read({ cpuLoadPct: [other, { value: 'x' }] })[0]!.path()).to.equal('data[0].cpuLoadPct[1].value');
  });

  it('with a value of the wrong kind is read as it is, for the refusal to name it', () => {
    expect(valuesOf({ a: {}, b: [1, 2], c: { value: [] } })).to.deep.equal([
      ['a', undefined],
      ['b', [1, 2]],
      ['c', []],
    ]);
  });

  describe('has the time of an attribute', () => {
    const timeOf = (attribute: object) => read({ a: { value: 1, ...attribute } })[0]!.time;
    const NOON = Date.parse('2026-11-23T12:00:00Z') * 1000;

    for (const [text, micros] of [
      ['2026-11-23T12:00:00Z', 0],
      ['2026-11-23T12:00:00.5Z', 500_000],
      ['2026-11-23T12:00:00,067Z', 67_000],
      ['2026-11-23T12:00:00.067001Z', 67_001],
      ['2026-11-23T12:00:00.123456789Z', 123_456],
      ['2026-11-23T13:00:00.000001+01:00', 1],
    ] as const) {
      it(`${text} in microseconds`, () => {
        expect(timeOf({ modifiedAt: text })! - NOON).to.equal(micros);
      });
    }

    it('as observed, else as modified', () => {
      const modifiedAt = '2026-11-23T12:00:02Z';
      const observedAt = '2026-11-23T12:00:01Z';
      expect(timeOf({ modifiedAt, observedAt })).to.equal(NOON + 1_000_000);
      expect(timeOf({ modifiedAt })).to.equal(NOON + 2_000_000);
      expect(timeOf({ modifiedAt, observedAt: 'yesterday' })).to.equal(NOON + 2_000_000);
      expect(
        read({
          a: [
            { value: 1, datasetId: 'urn:x:1' },
            { value: 2, modifiedAt },
          ],
        })[0]!.time,
      ).to.equal(NOON + 2_000_000);
    });

    for (const text of [
      undefined,
      '',
      'now',
      '2026-11-23',
      '2026-11-23T12:00:00',
      '2026-13-23T12:00:00Z',
      7,
      null,
    ]) {
      it(`not in ${JSON.stringify(text)}`, () => {
        const [reading] = read({ a: { value: 1, modifiedAt: text } });
        expect(reading).to.include({ name: 'a', value: 1 });
        expect(reading).not.to.have.property('time');
      });
    }
  });
});

describe('the elements of a body', () => {
  const hasEmpty = (body: object) => {
    const list = elementsOf(body);
    const all = Array.from({ length: list.length }, (_, i) => list.read(i, new Problems()));
    return all.some((one) => one?.isEmpty === true);
  };

  it('may be an entity without attributes, as brokers send it after a deletion', () => {
    const bare = { id: 'web-1', type: 'host' };
    expect(hasEmpty({ data: [bare] })).to.equal(true);
    expect(hasEmpty({ data: [{ ...bare, cpuLoadPct: null }, { cpuLoadPct: 1 }] })).to.equal(true);
    expect(hasEmpty({ data: [{ ...bare, users: 9 }] })).to.equal(false);
    expect(hasEmpty({ contextResponses: [{ contextElement: { attributes: [] } }] })).to.equal(false);
  });
});
