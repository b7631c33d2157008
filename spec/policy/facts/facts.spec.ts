import { expect } from 'chai';
import { cpuTimeOf } from '../../system/cpu-time.js';
import {
  attribute,
  cpuBody,
  element,
  factsBody,
  factsProblems,
  FAILED,
  measuresOf,
  readFacts,
} from './facts-bodies.js';

describe('measurements', () => {
  it('of all four attributes are read as the metrics they measure', () => {
    const given = factsBody(
      element([
        attribute('cpuLoadPct', '10'),
        attribute('usedMemPct', '20'),
        attribute('netLoadPct', '30'),
        attribute('freeSpacePct', '40'),
      ]),
    );
    expect(measuresOf(given)).to.deep.equal([{ cpu: 10, mem: 20, net: 30, hdd: 60 }]);
  });

  for (const [name, metric] of [
    ['cpuLoadPct', 'cpu'],
    ['usedMemPct', 'mem'],
    ['netLoadPct', 'net'],
    ['freeSpacePct', 'hdd'],
  ] as const) {
    it(`may be of ${name} alone`, () => {
      expect(measuresOf(factsBody(element([attribute(name, '50')])))).to.deep.equal([{ [metric]: 50 }]);
    });
  }

  it('of free disk space count as used space, or unchanged by setting', () => {
    const given = factsBody(element([attribute('freeSpacePct', '15.5'), attribute('cpuLoadPct', '15.5')]));
    expect(readFacts(given, 'used').measures).to.deep.equal([{ cpu: 15.5, hdd: 84.5 }]);
    expect(readFacts(given, 'free').measures).to.deep.equal([{ cpu: 15.5, hdd: 15.5 }]);
    expect(measuresOf(factsBody(element([attribute('freeSpacePct', '0')])))).to.deep.equal([{ hdd: 100 }]);
    expect(measuresOf(factsBody(element([attribute('freeSpacePct', '100')])))).to.deep.equal([{ hdd: 0 }]);
  });

  it('use the last of two attributes with one name in an element', () => {
    const given = factsBody(
      element([attribute('cpuLoadPct', '10'), attribute('usedMemPct', '5'), attribute('cpuLoadPct', '20')]),
    );
    expect(measuresOf(given)).to.deep.equal([{ cpu: 20, mem: 5 }]);
  });

  it('are refused if the first of two attributes with one name is wrong', () => {
    const given = factsBody(element([attribute('cpuLoadPct', 'x'), attribute('cpuLoadPct', '20')]));
    expect(factsProblems(given)).to.contain('contextResponses[0].contextElement.attributes[0].value');
  });

  it('ignore attributes with other names, whatever their value', () => {
    const given = factsBody(
      element([
        attribute('cpuLoadPct', '10'),
        attribute('CPULoadPct', '20'),
        attribute('users', { some: 'thing' }),
        attribute('__proto__', '3'),
        attribute('constructor', null),
        { name: 'valueless' },
      ]),
    );
    expect(measuresOf(given)).to.deep.equal([{ cpu: 10 }]);
  });

  it('are refused if the whole request has none', () => {
    for (const given of [
      factsBody(element([])),
      factsBody(element([attribute('users', '3')])),
      factsBody(element([], {}, FAILED)),
    ]) {
      expect(factsProblems(given)).to.contain('cpuLoadPct, usedMemPct, netLoadPct, freeSpacePct');
    }
  });
});

describe('a value', () => {
  const accepted: readonly (readonly [unknown, number])[] = [
    ['0', 0],
    ['100', 100],
    ['42.5', 42.5],
    ['030', 30],
    ['.5', 0.5],
    ['5.', 5],
    ['1e1', 10],
    ['1E+1', 10],
    ['500e-1', 50],
    ['.1e3', 100],
    ['5.e1', 50],
    ['00', 0],
    ['100.000', 100],
    ['1e-400', 0],
    [0, 0],
    [-0, 0],
    [100, 100],
    [42.5, 42.5],
    [1e-7, 1e-7],
  ];
  for (const [value, expected] of accepted) {
    it(`${Object.is(value, -0) ? '-0' : JSON.stringify(value)} is ${expected}`, () => {
      expect(Object.is(measuresOf(cpuBody(value))[0]!.cpu, expected)).to.equal(true);
    });
  }

  const wrong: readonly unknown[] = [
    ['', ' ', '.', 'e1', '.e1', '1e', '1e+', '-1', '+1', '-0', ' 1', '1 ', '1\n', '1 0', '0x10', '0b1'],
    ['0o7', '1_0', '1,5', '1.2.3', '1e1.5', '100.1', '101', '1e3', '1e400', 'NaN', 'Infinity', '50%'],
    ['١٢', '１２', 'abc', 'null', 'true', '12abc', '\u00001'],
    [-1, -1e-9, 100.00001, 101, Infinity, Number.NaN, null, true, false, [], ['1'], [1], {}, { value: 1 }],
    [undefined],
  ].flat();
  for (const value of wrong) {
    it(`${JSON.stringify(value) ?? 'that is missing'} (${typeof value}) is refused`, () => {
      const message = factsProblems(cpuBody(value));
      expect(message).to.match(
        /^contextResponses\[0\]\.contextElement\.attributes\[0\]\.value: cpuLoadPct must be/,
      );
      expect(message).to.contain('from 0 to 100');
    });
  }

  it('of a million characters is checked in linear time', async () => {
    const digits = '1'.repeat(1_000_000);
    const check = (): void => {
      for (const value of [
        digits,
        `${digits}x`,
        `0.${digits}x`,
        `1e${digits}x`,
        `${digits}.${digits}e${digits}x`,
      ]) {
        factsProblems(cpuBody(value));
      }
      expect(measuresOf(cpuBody(`${'0'.repeat(1_000_000)}7.${'0'.repeat(1_000_000)}`))).to.deep.equal([
        { cpu: 7 },
      ]);
    };
    expect(await cpuTimeOf(check)).to.be.below(2_000);
  });
});

describe('several elements', () => {
  it('are measurements in the order of the body', () => {
    const given = factsBody(
      element([attribute('cpuLoadPct', '1')]),
      element([attribute('usedMemPct', '2')]),
      element([attribute('cpuLoadPct', '3'), attribute('usedMemPct', '4')]),
    );
    expect(measuresOf(given)).to.deep.equal([{ cpu: 1 }, { mem: 2 }, { cpu: 3, mem: 4 }]);
  });

  it('are skipped if they measure nothing or report a failed query', () => {
    const given = factsBody(
      element([attribute('cpuLoadPct', '1')], {}, FAILED),
      element([attribute('cpuLoadPct', '2')], {}, { code: '500' }),
      element([attribute('users', '9')]),
      element([attribute('cpuLoadPct', '3')]),
      { statusCode: FAILED },
    );
    expect(measuresOf(given)).to.deep.equal([{ cpu: 3 }]);
  });

  it('are all refused, with every problem, if one is wrong', () => {
    const given = factsBody(
      element([attribute('cpuLoadPct', '1')]),
      element([attribute('cpuLoadPct', '101'), attribute('usedMemPct', 'x')]),
      element('none'),
      7,
    );
    const message = factsProblems(given);
    expect(message).to.contain('contextResponses[1].contextElement.attributes[0].value: cpuLoadPct');
    expect(message).to.contain('contextResponses[1].contextElement.attributes[1].value: usedMemPct');
    expect(message).to.contain('contextResponses[2].contextElement.attributes: must be an array');
    expect(message).to.contain('contextResponses[3]: must be an object');
  });

  it('with thousands of problems are refused in a short message', () => {
    const message = factsProblems(factsBody(...Array.from({ length: 10_000 }, () => 7)));
    expect(message).to.have.length.below(5_000);
    expect(message).to.match(/; and 9980 more$/);
  });
});
