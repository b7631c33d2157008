import { expect } from 'chai';
import { NO_METRICS } from '../../../src/config/metrics.js';
import {
  packedParts,
  packedServers,
  unpackedParts,
  unpackedServers,
} from '../../../src/policy/sources/fact-parts.js';
import { sourceReader } from '../../../src/policy/sources/source-facts.js';
import type { SourceValue } from '../../../src/policy/sources/source-value.js';

const read = sourceReader({ hdd: 'used', metrics: NO_METRICS });

/** Returns values of cpu of a server, each with a time of its own. */
const valuesOf = (server: string, count: number): readonly SourceValue[] =>
  Array.from({ length: count }, (_, i) => ({ server, metric: 'cpu', value: i % 100, at: i + 1 }));

/** Returns how many facts of which servers each part has. */
const sizesOf = (values: readonly SourceValue[], reader = read): readonly object[] =>
  [...unpackedParts(packedParts(reader(values)))].map(({ servers }) =>
    Object.fromEntries(servers.map(({ serverId, facts }) => [serverId, facts.measures.length])),
  );

describe('the parts of the facts of a request', () => {
  it('have at most 1,000 facts each', () => {
    expect(sizesOf([])).to.deep.equal([{}]);
    expect(sizesOf(valuesOf('a', 1000))).to.deep.equal([{ a: 1000 }]);
    expect(sizesOf([...valuesOf('a', 999), ...valuesOf('b', 1002), ...valuesOf('c', 1)])).to.deep.equal([
      { a: 999, b: 1 },
      { b: 1000 },
      { b: 1, c: 1 },
    ]);
  });

  it('have at most 4,000 values each', () => {
    const facts = (server: string, count: number, metrics: number): readonly SourceValue[] =>
      Array.from({ length: count * metrics }, (_, i) => ({
        server,
        metric: `m${i % metrics}`,
        value: 1,
        at: Math.floor(i / metrics),
      }));
    const any = sourceReader({ hdd: 'used', metrics: { any: true, listed: [] } });
    const sizes = (...all: readonly (readonly SourceValue[])[]) => sizesOf(all.flat(), any);
    expect(sizes(facts('a', 40, 100))).to.deep.equal([{ a: 40 }]);
    expect(sizes(facts('a', 41, 100), facts('b', 1, 100))).to.deep.equal([{ a: 40 }, { a: 1, b: 1 }]);
    // A fact of 5,000 values becomes five.
    expect(sizes(facts('a', 1, 10), facts('b', 2, 5_000))).to.deep.equal([
      { a: 1, b: 3 },
      { b: 4 },
      { b: 3 },
    ]);
    const [wide] = facts('a', 1, 1_001);
    const parts = [...unpackedParts(packedParts(any([...facts('a', 1, 1_001)])))];
    const { measures, times, groups } = parts[0]!.servers[0]!.facts;
    expect(measures.map((one) => Object.keys(one).length)).to.deep.equal([1_000, 1]);
    expect(groups).to.deep.equal([0, 0]);
    expect(measures[1]).to.deep.equal({ m1000: 1 });
    expect(times).to.deep.include({ m1000: wide!.at! * 1_000 });
  });

  it('have the values of a wide fact, whatever their names', () => {
    const names = ['constructor', 'toString', ...Array.from({ length: 98 }, (_, i) => `m${i}`)];
    const values = names.map((metric, i): SourceValue => ({ server: 'a', metric, value: i, at: 5 }));
    const any = sourceReader({ hdd: 'used', metrics: { any: true, listed: [] } });
    const [part] = [...unpackedParts(packedParts(any(values)))];
    const { measures, times } = part!.servers[0]!.facts;
    expect(Object.entries(measures[0]!)).to.deep.equal(names.map((name, i) => [name, i]));
    expect(Object.entries(times![0]!)).to.deep.equal(names.map((name) => [name, 5_000]));
  });

  it('have the facts of a server together if one part can have them', () => {
    expect(sizesOf([...valuesOf('a', 600), ...valuesOf('b', 600), ...valuesOf('c', 400)])).to.deep.equal([
      { a: 600 },
      { b: 600, c: 400 },
    ]);
  });

  it('have together what the request has, in its order, and what was left out once', () => {
    const values = [
      ...valuesOf('a', 1400),
      { server: 'a', metric: 'mem', value: 5 },
      { server: 'a', metric: 'other', value: 5 },
      ...valuesOf('b', 1400),
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

describe('the parts of the servers of a notification', () => {
  const { servers } = read([
    ...valuesOf('a', 600),
    ...valuesOf('b', 600),
    ...valuesOf('c', 3000),
    ...valuesOf('d', 399),
    ...valuesOf('e', 1),
  ]);

  it('have at most 1,000 facts each, and all facts of a server in one', () => {
    const parts = packedServers(servers);
    const sizes = parts.map((part) => [...unpackedServers([part])].map(({ facts }) => facts.measures.length));
    expect(sizes).to.deep.equal([[600], [600], [3000], [399, 1]]);
    expect(packedServers([])).to.deep.equal([]);
  });

  it('have together what the notification has, also facts with more than 1,000 values', () => {
    const measures = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`m${i}`, i]));
    const wide = { serverId: 'w', facts: { measures: [measures], source: 'sub' }, indexes: [7] };
    expect([...unpackedServers(packedServers([...servers, wide]))]).to.deep.equal([...servers, wide]);
  });

  it('are read when the first of their servers is asked for', () => {
    const [first] = packedServers(servers);
    const [server] = unpackedServers([first!, new Uint8Array(0)]);
    expect(server!.serverId).to.equal('a');
  });
});
