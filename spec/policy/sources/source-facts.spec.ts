import { expect } from 'chai';
import { NO_METRICS } from '../../../src/config/metrics.js';
import { sourceReader } from '../../../src/policy/sources/source-facts.js';
import type { SourceValue } from '../../../src/policy/sources/source-value.js';

const read = sourceReader({
  hdd: 'used',
  metrics: { any: false, listed: [{ name: 'queue_length', range: [0, 10] }] },
});
const T = 1_700_000_000_000;

function of(metric: string, value: number, at?: number, server = 'web-1'): SourceValue {
  return { server, metric, value, ...(at === undefined ? {} : { at }) };
}

/** The facts of the only server of values. */
function factsOf(...values: readonly SourceValue[]) {
  const { servers } = read(values);
  expect(servers).to.have.lengthOf(1);
  return servers[0]!.facts;
}

/** The number of values that were left out, by reason. */
function leftOut(...values: readonly SourceValue[]): Readonly<Record<string, number>> {
  return Object.fromEntries(read(values).leftOut.map(({ why, count }) => [why, count]));
}

describe('the values of a source', () => {
  it('are one fact if they are of one server and one time, and facts are in the order of time', () => {
    const { measures, times } = factsOf(
      of('mem', 7, T + 2),
      of('cpu', 90, T),
      of('cpu', 91, T + 2),
      of('mem', 6, T),
    );
    expect(measures).to.deep.equal([
      { cpu: 90, mem: 6 },
      { mem: 7, cpu: 91 },
    ]);
    expect(times).to.deep.equal([
      { cpu: T * 1000, mem: T * 1000 },
      { mem: (T + 2) * 1000, cpu: (T + 2) * 1000 },
    ]);
  });

  it('without a time are one fact, after those with one', () => {
    const { measures, times } = factsOf(of('cpu', 1), of('mem', 2), of('cpu', 3, T));
    expect(measures).to.deep.equal([{ cpu: 3 }, { cpu: 1, mem: 2 }]);
    expect(times).to.deep.equal([{ cpu: T * 1000 }, undefined]);
    expect(factsOf(of('cpu', 1))).to.deep.equal({ measures: [{ cpu: 1 }], source: undefined });
  });

  it('have their times to the microsecond', () => {
    expect(factsOf(of('cpu', 1, T + 0.123)).times).to.deep.equal([{ cpu: T * 1000 + 123 }]);
  });

  it('are of the metrics of the document, of its attributes, and of METRICS', () => {
    const { measures } = factsOf(
      ...['cpu', 'usedMemPct', 'freeSpacePct', 'netLoadPct', 'queue.length'].map((name) => of(name, 10, T)),
    );
    expect(measures).to.deep.equal([{ cpu: 10, mem: 10, hdd: 90, net: 10, queue_length: 10 }]);
    expect(factsOf(of('hdd', 10)).measures).to.deep.equal([{ hdd: 10 }]);
  });

  it('have names in which other characters become _', () => {
    for (const name of ['queue.length', 'queue:length', 'queue-length', 'queue length', 'queue💥length'])
      expect(factsOf(of(name, 5)).measures).to.deep.equal([{ queue_length: 5 }]);
    const { servers } = read([of('cpu', 1, T, '[2001:db8::7]:9100'), of('cpu', 1, T, 'wéb 1')]);
    expect(servers.map(({ serverId }) => serverId)).to.deep.equal(['_2001:db8::7_:9100', 'w_b_1']);
  });

  it('have names of any characters, as long as an id or a metric can be', () => {
    const any = sourceReader({ hdd: 'used', metrics: { ...NO_METRICS, any: true } });
    const pairs = (count: number): string => '😀'.repeat(count);
    const { servers, leftOut: others } = any([
      of(pairs(64), 1, T, pairs(256)),
      of(`${pairs(64)}a`, 1, T),
      of('cpu', 1, T, `${pairs(256)}a`),
      of('x'.repeat(65), 1, T),
      of('cpu', 1, T, 'x'.repeat(257)),
    ]);
    expect(servers.map(({ serverId, facts: { measures } }) => [serverId, measures])).to.deep.equal([
      ['_'.repeat(256), [{ ['_'.repeat(64)]: 1 }]],
    ]);
    expect(others.map(({ why, count }) => [why, count])).to.have.deep.members([
      ['no metric', 2],
      ['no server', 2],
    ]);
  });

  it('count once for each metric, server and time: the first', () => {
    const values = [of('cpu', 1, T), of('cpuLoadPct', 2, T), of('cpu', 3, T, 'web-2'), of('cpu', 4, T)];
    const { servers, values: count } = read(values);
    expect(servers.map(({ facts }) => facts.measures)).to.deep.equal([[{ cpu: 1 }], [{ cpu: 3 }]]);
    expect(count).to.equal(2);
    expect(leftOut(...values)).to.deep.equal({ repeated: 2 });
  });

  it('are left out with the reason, and the others are taken', () => {
    const stale = new DataView(new ArrayBuffer(8));
    stale.setBigUint64(0, 0x7ff0000000000002n);
    const values = [
      of('cpu', 1, T),
      of('up', 1, T),
      of('constructor', 1, T),
      of('__proto__', 1, T),
      of('cpu', stale.getFloat64(0), T + 1),
      of('cpu', 100.1, T + 2),
      of('queue_length', -1, T + 2),
      of('mem', Infinity, T),
      of('mem', 1, 1e300),
      ...['', '.', '..', 'x'.repeat(257), 'web.json'].map((server) => of('cpu', 1, T, server)),
    ];
    expect(leftOut(...values)).to.deep.equal({
      'no metric': 3,
      'not a number': 1,
      'out of range': 4,
      'no server': 5,
    });
    expect(read(values).values).to.equal(1);
  });

  it('have the last example of each reason, cut to a length that fits a list', () => {
    const values = [of('cpu', 101, T), of('mem', 102, T + 1), of('x'.repeat(10_000), 1)];
    expect(read(values).leftOut).to.deep.equal([
      { why: 'out of range', count: 2, last: { server: 'web-1', metric: 'mem', value: 102, at: T + 1 } },
      { why: 'no metric', count: 1, last: { server: 'web-1', metric: `${'x'.repeat(255)}…`, value: 1 } },
    ]);
  });

  it('may have any name with METRICS=*, and none that is not a name of a metric', () => {
    const any = sourceReader({ hdd: 'used', metrics: { ...NO_METRICS, any: true } });
    const { servers, leftOut: left } = any([of('node.load1', 3), of('1st', 1), of('', 1), of('any', 1)]);
    expect(servers[0]!.facts.measures).to.deep.equal([{ node_load1: 3 }]);
    expect(left).to.deep.include({ why: 'no metric', count: 3, last: of('any', 1) });
  });
});
