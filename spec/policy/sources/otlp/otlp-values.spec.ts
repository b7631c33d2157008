import { expect } from 'chai';
import protobuf from 'protobufjs';
import { Refusal } from '../../../../src/errors.js';
import { type OtlpEncoding, otlpReader } from '../../../../src/policy/sources/otlp/otlp-values.js';
import { type Attributes, encoded, exportRequest, gauge, point, resource, sum } from './otlp-requests.js';

const T = 1_700_000_000_123.456;

const read = otlpReader({ any: true, listed: [] });

/** Returns the values of a request as `metric@server=value`. */
const valuesIn = (request: object, encoding: OtlpEncoding = 'json'): readonly string[] =>
  read(encoded(request, encoding), encoding).map(
    ({ server, metric, value, at }) => `${metric}@${server}=${value}${at === T ? '' : ` at ${at}`}`,
  );

const utilization = (metric: string, ...points: readonly (readonly [number, Attributes])[]) =>
  gauge(metric, ...points.map(([value, attributes]) => point(value, T, attributes)));

function refusalOf(bytes: Buffer, encoding: OtlpEncoding): Refusal {
  try {
    read(bytes, encoding);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('taken');
}

describe('The values in a request of OTLP', () => {
  for (const encoding of ['protobuf', 'json'] as const) {
    describe(`in ${encoding}`, () => {
      it('are the gauges and the sums by name, of each resource', () => {
        const request = exportRequest(
          resource(
            { 'host.name': 'web-1' },
            gauge('queue.length', point(7.5, T)),
            sum('jobs', point(-3n, T)),
          ),
          resource({ 'host.name': 'web-2' }, gauge('queue.length', point(9, T), point(8, T + 1_000))),
        );
        expect(valuesIn(request, encoding)).to.deep.equal([
          'queue.length@web-1=7.5',
          'jobs@web-1=-3',
          'queue.length@web-2=9',
          `queue.length@web-2=8 at ${T + 1_000}`,
        ]);
      });

      it('are cpu, mem and hdd of the host semantic conventions', () => {
        const request = exportRequest(
          resource(
            { 'host.name': 'web-1' },
            utilization(
              'system.cpu.utilization',
              [0.25, { 'cpu.mode': 'user', cpu: 'cpu0' }],
              [0.5, { 'cpu.mode': 'idle', cpu: 'cpu0' }],
              [0.25, { 'cpu.mode': 'idle', cpu: 'cpu1' }],
            ),
            utilization(
              'system.memory.utilization',
              [0.5, { 'system.memory.state': 'free' }],
              [0.25, { 'system.memory.state': 'used' }],
            ),
          ),
          // A collector sends each of its scrapers as a resource.
          resource(
            { 'host.name': 'web-1' },
            utilization(
              'system.filesystem.utilization',
              [0.25, { mountpoint: '/' }],
              [0.75, { mountpoint: '/data' }],
              [Number.NaN, { mountpoint: '/proc' }],
            ),
          ),
        );
        expect(valuesIn(request, encoding)).to.deep.equal(['cpu@web-1=62.5', 'mem@web-1=25', 'hdd@web-1=75']);
      });
    });
  }

  for (const attribute of ['state', 'cpu.mode', 'system.cpu.state']) {
    it(`have cpu by the attribute ${attribute}`, () => {
      const cpu = utilization('system.cpu.utilization', [0.75, { [attribute]: 'idle' }], [0.2, {}]);
      expect(valuesIn(exportRequest(resource({ 'host.name': 'a' }, cpu)))).to.deep.equal(['cpu@a=25']);
    });
  }
  for (const attribute of ['state', 'system.memory.state']) {
    it(`have mem by the attribute ${attribute}`, () => {
      const states = ['free', 'used', 'cached'].map((state) => [0.5, { [attribute]: state }] as const);
      const mem = utilization('system.memory.utilization', ...states, [0.1, {}]);
      expect(valuesIn(exportRequest(resource({ 'host.name': 'a' }, mem)))).to.deep.equal(['mem@a=50']);
    });
  }
  for (const attribute of ['state', 'system.filesystem.state']) {
    it(`have hdd by the attribute ${attribute}`, () => {
      const states = [0.25, 0.5].map((value) => [value, { [attribute]: 'used' }] as const);
      const hdd = utilization('system.filesystem.utilization', ...states, [0.9, { [attribute]: 'free' }]);
      expect(valuesIn(exportRequest(resource({ 'host.name': 'a' }, hdd)))).to.deep.equal(['hdd@a=50']);
    });
  }

  it('stay within 0 and 100 as percentages', () => {
    const request = exportRequest(
      resource(
        { 'host.name': 'a' },
        utilization('system.cpu.utilization', [1.01, { state: 'idle' }]),
        utilization('system.memory.utilization', [1.5, { state: 'used' }]),
        utilization('system.filesystem.utilization', [Number.NaN, {}]),
      ),
    );
    expect(valuesIn(request)).to.deep.equal(['cpu@a=0', 'mem@a=100', 'hdd@a=NaN']);
  });

  it('are apart by the time of the data points', () => {
    const idle = { state: 'idle' };
    const cpu = gauge('system.cpu.utilization', point(0.5, T, idle), point(0.25, T + 500, idle));
    expect(valuesIn(exportRequest(resource({ 'host.name': 'a' }, cpu)))).to.deep.equal([
      'cpu@a=50',
      `cpu@a=75 at ${T + 500}`,
    ]);
  });

  it('have the metrics of the conventions by name only if METRICS lists them', () => {
    const mem = utilization('system.memory.utilization', [0.5, { state: 'used' }]);
    const bytes = encoded(exportRequest(resource({ 'host.name': 'a' }, mem)), 'json');
    const listing = otlpReader({ any: false, listed: [{ name: 'system_memory_utilization' }] });
    expect(listing(bytes, 'json').map(({ metric, value }) => [metric, value])).to.deep.equal([
      ['system.memory.utilization', 0.5],
      ['mem', 50],
    ]);
  });

  it('are of the server that host.name, else host.id, else service.instance.id names', () => {
    const names = { 'service.instance.id': 'instance', 'host.id': 'id', 'host.name': 'name' };
    const { 'host.name': _name, ...withoutName } = names;
    const { 'host.id': _id, ...instance } = withoutName;
    const resources = [names, withoutName, instance, { ...names, 'host.name': '' }, { other: 'x' }];
    const request = exportRequest(...resources.map((one) => resource(one, gauge('m', point(1, T)))));
    expect(valuesIn(request)).to.deep.equal(['m@name=1', 'm@id=1', 'm@instance=1', 'm@id=1', 'm@=1']);
  });

  it('leave out data points that say that they have no value', () => {
    const points = [{ ...point(1, T), flags: 1 }, { ...point(2, T), flags: 2 }, point(3, T)];
    expect(valuesIn(exportRequest(resource({ 'host.name': 'a' }, gauge('m', ...points))))).to.deep.equal([
      'm@a=2',
      'm@a=3',
    ]);
  });

  it('are NaN of a data point without a number, and have no time of one without a time', () => {
    const points = [{ timeUnixNano: '1' }, { asDouble: 5 }, { asDouble: 5, timeUnixNano: 0 }];
    const values = read(
      encoded(exportRequest(resource({ 'host.name': 'a' }, gauge('m', ...points))), 'json'),
      'json',
    );
    expect(values.map(({ value, at }) => [value, at])).to.deep.equal([
      [Number.NaN, 1e-6],
      [5, Number.NaN],
      [5, Number.NaN],
    ]);
  });

  it('have numbers of JSON as strings too, and members that are null as absent', () => {
    const points = [
      { asDouble: '1.5e2', timeUnixNano: 1e18, attributes: null },
      { asInt: '-7', timeUnixNano: '1000000000000000000', asDouble: null },
      { asDouble: '-Infinity', timeUnixNano: '1000000000000000000' },
    ];
    const request = exportRequest(
      resource({ 'host.name': 'a' }, { name: 'm', gauge: { dataPoints: points }, sum: null }),
    );
    const values = read(encoded(request, 'json'), 'json');
    expect(values.map(({ value, at }) => [value, at])).to.deep.equal([
      [150, 1e12],
      [-7, 1e12],
      [-Infinity, 1e12],
    ]);
  });

  it('are none of an empty request', () => {
    for (const encoding of ['protobuf', 'json'] as const) {
      expect(valuesIn({}, encoding)).to.deep.equal([]);
      expect(valuesIn(exportRequest(resource({ 'host.name': 'a' })), encoding)).to.deep.equal([]);
    }
  });

  for (const encoding of ['protobuf', 'json'] as const) {
    it(`are NaN where no number can be had: of histograms, of summaries, and without the needed state, in ${encoding}`, () => {
      const dataPoints = [{ timeUnixNano: '1000000000000000000', count: 3, sum: 4.5 }];
      const unclear = [0.25, 0.5].map((value) => point(value, T));
      const request = exportRequest(
        resource(
          { 'host.name': 'a' },
          { name: 'h', histogram: { dataPoints } },
          { name: 'e', exponentialHistogram: { dataPoints } },
          { name: 's', summary: { dataPoints } },
          gauge('system.cpu.utilization', ...unclear),
          gauge('system.memory.utilization', ...unclear),
        ),
        resource(
          { 'host.name': 'b' },
          gauge('system.cpu.utilization', ...unclear, point(0.75, T, { state: 'idle' })),
          gauge('system.memory.utilization', ...unclear, point(0.5, T, { state: 'used' })),
        ),
        resource({ 'host.name': 'c' }, gauge('system.cpu.utilization', point(0.5, T, { state: 'user' }))),
      );
      const ofDistributions = ['h', 'e', 's'].map((name) => `${name}@a=NaN at 1000000000000`);
      const ofHosts = ['cpu@a=NaN', 'mem@a=NaN', 'cpu@b=25', 'mem@b=50'];
      expect(valuesIn(request, encoding)).to.deep.equal([...ofDistributions, ...ofHosts]);
    });
  }

  for (const [wrong, message] of [
    [[], 'body: must be an object'],
    [{ resourceMetrics: {} }, 'resourceMetrics: must be an array'],
    [{ resourceMetrics: [7] }, 'resourceMetrics[0]: must be an object'],
    [
      { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 7 }] }] }] },
      'resourceMetrics[0].scopeMetrics[0].metrics[0].name: must be a string',
    ],
    [
      exportRequest(resource({}, gauge('m', { asDouble: 'high' }))),
      'resourceMetrics[0].scopeMetrics[0].metrics[0].gauge.dataPoints[0].asDouble: must be a number, or a string with a decimal number',
    ],
    [
      exportRequest(resource({}, sum('m', { asInt: 7, timeUnixNano: 'now' }))),
      'resourceMetrics[0].scopeMetrics[0].metrics[0].sum.dataPoints[0].timeUnixNano: must be nanoseconds since 1970, as a number or as a string with an integer',
    ],
  ] as const) {
    it(`are refused with the place of what is wrong: ${message}`, () => {
      const refusal = refusalOf(encoded(wrong, 'json'), 'json');
      expect(refusal.code).to.equal('bad-request');
      expect(refusal.message).to.equal(message);
    });
  }

  it('skip what is deep in a request of protobuf', () => {
    let deep = Buffer.from([10, 0]);
    // An AnyValue in a list in an AnyValue, and so on.
    for (let level = 0; level < 3_000; level += 1) {
      const length = protobuf.Writer.create().uint32(deep.length).finish();
      deep = Buffer.concat([Buffer.from([level % 2 === 0 ? 10 : 42]), length, deep]);
    }
    const key = Buffer.from([10, 1, 97]);
    const value = protobuf.Writer.create().uint32(18).bytes(deep).finish();
    const attribute = protobuf.Writer.create()
      .uint32(10)
      .bytes(Buffer.concat([key, value]))
      .finish();
    const inResource = protobuf.Writer.create().uint32(10).bytes(attribute).finish();
    const bytes = protobuf.Writer.create().uint32(10).bytes(inResource).finish();
    expect(read(Buffer.from(bytes), 'protobuf')).to.deep.equal([]);
  });
});
