import { expect } from 'chai';
import fc from 'fast-check';
import { Refusal } from '../../../src/errors.js';
import {
  attribute,
  cpuBody,
  element,
  factsBody,
  factsProblems,
  measuresOf,
  OK,
  readFacts,
} from './facts-bodies.js';

describe('the status of an element', () => {
  for (const code of ['200', '201', '299', 200]) {
    it(`${JSON.stringify(code)} is a success`, () => {
      const given = factsBody(element([attribute('cpuLoadPct', '1')], {}, { code }));
      expect(measuresOf(given)).to.deep.equal([{ cpu: 1 }]);
    });
  }
  for (const code of ['199', '300', '404', '500', '2000', '20', '2xx', '', ' 200', 404, 20]) {
    it(`${JSON.stringify(code)} excludes the element, whatever else it has`, () => {
      const failed = element([attribute('cpuLoadPct', 'nonsense')], { isPattern: 'true' }, { code });
      expect(measuresOf(factsBody(failed, element([attribute('cpuLoadPct', '1')])))).to.deep.equal([
        { cpu: 1 },
      ]);
    });
  }
  it('may be missing', () => {
    const { statusCode: _, ...bare } = element([attribute('cpuLoadPct', '1')]);
    expect(measuresOf(factsBody(bare))).to.deep.equal([{ cpu: 1 }]);
  });
  for (const statusCode of [null, '200', 200, {}, [], { code: null }, { code: true }, { code: 200.5 }]) {
    it(`${JSON.stringify(statusCode)} is refused`, () => {
      const given = factsBody(element([attribute('cpuLoadPct', '1')], {}, statusCode));
      expect(factsProblems(given)).to.contain('contextResponses[0].statusCode: must be an object with code');
    });
  }
});

describe('the element of a server', () => {
  const measuring = [attribute('cpuLoadPct', '1')];

  for (const isPattern of ['true', true, 'TRUE', 'yes', null, 1]) {
    it(`must not be a pattern: isPattern ${JSON.stringify(isPattern)} is refused`, () => {
      expect(factsProblems(factsBody(element(measuring, { isPattern })))).to.contain(
        'isPattern: must be "false"',
      );
    });
  }
  for (const isPattern of ['false', false, undefined]) {
    it(`may have isPattern ${JSON.stringify(isPattern) ?? 'missing'}`, () => {
      expect(measuresOf(factsBody(element(measuring, { isPattern })))).to.deep.equal([{ cpu: 1 }]);
    });
  }
  it('may have any id and type: the path names the server', () => {
    expect(measuresOf(factsBody(element(measuring, { id: 'other', type: 7 })))).to.deep.equal([{ cpu: 1 }]);
    expect(measuresOf(factsBody(element(measuring, { id: undefined, type: undefined })))).to.have.length(1);
  });
  for (const [what, given, where] of [
    [
      'no contextElement',
      factsBody({ statusCode: OK }),
      'contextResponses[0].contextElement: must be an object',
    ],
    ['an array as contextElement', factsBody({ contextElement: [] }), 'contextElement: must be an object'],
    ['no attributes', factsBody(element(undefined)), 'attributes: must be an array'],
    ['an object of attributes', factsBody(element({})), 'attributes: must be an array'],
    ['an attribute that is null', factsBody(element([null])), 'attributes[0]: must be an object with a name'],
    ['an attribute without a name', factsBody(element([{ value: '1' }])), 'attributes[0]: must be an object'],
    [
      'an attribute of a numeric name',
      factsBody(element([{ name: 1, value: '1' }])),
      'attributes[0]: must be',
    ],
  ] as const) {
    it(`with ${what} is refused`, () => {
      expect(factsProblems(given)).to.contain(where);
    });
  }
});

describe('a body', () => {
  for (const given of [undefined, null, 7, 'text', true, [], [element([])]]) {
    it(`${JSON.stringify(given) ?? 'that is missing'} is refused`, () => {
      expect(factsProblems(given)).to.match(/^body: must be a JSON object/);
    });
  }
  for (const given of [{}, { contextResponses: null }, { contextResponses: {} }, factsBody()]) {
    it(`${JSON.stringify(given)} is refused`, () => {
      expect(factsProblems(given)).to.equal('contextResponses: must be a non-empty array');
    });
  }
  it('{"data":[]} is refused', () => {
    expect(factsProblems({ data: [] })).to.equal('data: must be a non-empty array');
  });
  it('with both formats is read as contextResponses', () => {
    const data = [{ cpuLoadPct: 9 }];
    expect(measuresOf({ ...cpuBody('1'), data })).to.deep.equal([{ cpu: 1 }]);
    expect(factsProblems({ contextResponses: null, data })).to.equal(
      'contextResponses: must be a non-empty array',
    );
  });
  it('may have further members of brokers, and names the subscription that sent it', () => {
    const given = { ...cpuBody('1'), subscriptionId: '51c0ac9ed714fb3b37d7d5a8', originator: 'localhost' };
    expect(readFacts(given, 'used')).to.deep.equal({
      measures: [{ cpu: 1 }],
      source: '51c0ac9ed714fb3b37d7d5a8',
    });
    expect(readFacts(cpuBody('1'), 'used').source).to.equal(undefined);
    expect(readFacts({ ...cpuBody('1'), subscriptionId: 7 }, 'used').source).to.equal(undefined);
  });
  it('of any JSON is read or refused as a bad request', () => {
    const hostile = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.jsonValue()).map((list) => ({ contextResponses: list })),
      fc.array(fc.jsonValue()).map((list) => ({ data: list })),
      fc.array(fc.jsonValue()).map((list) => factsBody(element(list))),
      fc.jsonValue().map((value) => cpuBody(value)),
      fc.jsonValue().map((value) => factsBody({ contextElement: value, statusCode: value })),
    );
    fc.assert(
      fc.property(hostile, (given) => {
        try {
          const { measures } = readFacts(given, 'used');
          for (const measured of measures) {
            expect(Object.keys(measured)).to.not.be.empty;
            for (const value of Object.values(measured)) expect(value).to.be.within(0, 100);
          }
        } catch (error) {
          expect(error).to.be.instanceOf(Refusal);
          expect((error as Refusal).code).to.equal('bad-request');
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a notification', () => {
  it('of NGSIv2 is read in normalized form', () => {
    const given = {
      subscriptionId: '57458eb60962ef754e7c0998',
      data: [
        {
          id: 'web-1',
          type: 'host',
          cpuLoadPct: { type: 'Number', value: 42.5, metadata: {} },
          freeSpacePct: { type: 'Text', value: '15', metadata: {} },
          users: { type: 'Number', value: 9, metadata: {} },
        },
        { id: 'web-1', type: 'host', usedMemPct: { type: 'Number', value: 7, metadata: {} } },
      ],
    };
    expect(readFacts(given, 'used')).to.deep.equal({
      measures: [{ cpu: 42.5, hdd: 85 }, { mem: 7 }],
      source: '57458eb60962ef754e7c0998',
    });
  });

  it('of NGSIv2 is read in key-values form', () => {
    const given = { data: [{ id: 'web-1', type: 'host', cpuLoadPct: 42.5, netLoadPct: '1' }] };
    expect(measuresOf(given)).to.deep.equal([{ cpu: 42.5, net: 1 }]);
  });

  it('of NGSI-LD is read', () => {
    const given = {
      id: 'urn:ngsi-ld:Notification:1',
      type: 'Notification',
      subscriptionId: 'urn:ngsi-ld:Subscription:1',
      notifiedAt: '2026-01-15T12:00:00Z',
      data: [
        {
          '@context': 'https://uri.etsi.org/ngsi-ld/v1/ngsi-ld-core-context.jsonld',
          id: 'urn:ngsi-ld:host:web-1',
          type: 'host',
          cpuLoadPct: { type: 'Property', value: 42.5, observedAt: '2026-01-15T12:00:00Z' },
          usedMemPct: { value: '3' },
          location: { type: 'GeoProperty', value: { type: 'Point', coordinates: [0, 0] } },
        },
      ],
    };
    expect(readFacts(given, 'used')).to.deep.equal({
      measures: [{ cpu: 42.5, mem: 3 }],
      times: [{ cpu: Date.UTC(2026, 0, 15, 12) * 1000 }],
      source: 'urn:ngsi-ld:Subscription:1',
    });
  });

  it('is refused as a whole, with every problem, if a value is wrong', () => {
    const given = {
      data: [{ cpuLoadPct: 1 }, { cpuLoadPct: { value: 101 } }, { usedMemPct: 'x' }, { netLoadPct: {} }, []],
    };
    const message = factsProblems(given);
    expect(message).to.contain('data[1].cpuLoadPct.value: cpuLoadPct must be');
    expect(message).to.contain('data[2].usedMemPct: usedMemPct must be');
    expect(message).to.contain('data[3].netLoadPct.value: netLoadPct must be');
    expect(message).to.contain('data[4]: must be an entity');
  });
});
