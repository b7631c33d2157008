import { expect } from 'chai';
import { NO_METRICS } from '../../../src/config/metrics.js';
import { packedParts, unpackedParts } from '../../../src/policy/sources/fact-parts.js';
import { sourceReader } from '../../../src/policy/sources/source-facts.js';
import type { SourceValue } from '../../../src/policy/sources/source-value.js';

const read = sourceReader({ hdd: 'used', metrics: NO_METRICS });

/** Returns values of cpu of a server, each with a time of its own. */
const valuesOf = (server: string, count: number): readonly SourceValue[] =>
  Array.from({ length: count }, (_, i) => ({ server, metric: 'cpu', value: i % 100, at: i + 1 }));

/** Returns how many facts of which servers each part has. */
const sizesOf = (values: readonly SourceValue[]): readonly object[] =>
  [...unpackedParts(packedParts(read(values)))].map(({ servers }) =>
    Object.fromEntries(servers.map(({ serverId, facts }) => [serverId, facts.measures.length])),
  );

describe('the parts of the facts of a request', () => {
  it('have at most 500 facts each', () => {
    expect(sizesOf([])).to.deep.equal([{}]);
    expect(sizesOf(valuesOf('a', 500))).to.deep.equal([{ a: 500 }]);
    expect(sizesOf([...valuesOf('a', 499), ...valuesOf('b', 502), ...valuesOf('c', 1)])).to.deep.equal([
      { a: 499, b: 1 },
      { b: 500 },
      { b: 1, c: 1 },
    ]);
  });

  it('have the facts of a server together if one part can have them', () => {
    expect(sizesOf([...valuesOf('a', 300), ...valuesOf('b', 300), ...valuesOf('c', 200)])).to.deep.equal([
      { a: 300 },
      { b: 300, c: 200 },
    ]);
  });

  it('have together what the request has, in its order, and what was left out once', () => {
    const values = [
      ...valuesOf('a', 700),
      { server: 'a', metric: 'mem', value: 5 },
      { server: 'a', metric: 'other', value: 5 },
      ...valuesOf('b', 700),
    ];
    const whole = read(values);
    const parts = [...unpackedParts(packedParts(whole))];
    for (const server of ['a', 'b']) {
      const [facts, ...inParts] = [whole, ...parts].map(({ servers }) =>
        servers.filter(({ serverId }) => serverId === server).map((one) => one.facts),
      );
      expect(inParts.flat().flatMap((one) => one.measures)).to.deep.equal(facts![0]!.measures);
      expect(inParts.flat().flatMap((one) => one.times)).to.deep.equal(facts![0]!.times);
    }
    expect(parts.flatMap(({ leftOut }) => leftOut)).to.deep.equal(whole.leftOut);
    expect(parts.reduce((sum, part) => sum + part.values, 0)).to.equal(whole.values);
  });
});
