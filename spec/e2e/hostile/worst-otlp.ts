import { gzipSync } from 'node:zlib';
import protobuf from 'protobufjs/minimal.js';
import type { Asked } from './asking-thread.js';
import { fill, MiB } from './worst-bodies.js';

const NOW_NS = BigInt(Date.now()) * 1_000_000n;

/** Returns a field of protobuf with a length. */
const field = (number: number, parts: readonly Uint8Array[]): Uint8Array =>
  protobuf.Writer.create()
    .uint32((number << 3) | 2)
    .bytes(Buffer.concat(parts))
    .finish();
const textField = (number: number, text: string): Uint8Array => field(number, [Buffer.from(text)]);
const attribute = (value: Uint8Array): Uint8Array => field(1, [textField(1, 'host.name'), field(2, [value])]);

const point = (i: number): Uint8Array => {
  const time = String(NOW_NS + BigInt(i) * 1_000n);
  return field(1, [
    protobuf.Writer.create()
      .uint32(25)
      .fixed64(time)
      .uint32(33)
      .double(i % 100)
      .finish(),
  ]);
};
const gaugeOf = (name: string, points: readonly Uint8Array[]): Uint8Array =>
  field(2, [textField(1, name), field(5, points)]);
const requestOf = (server: string, metrics: readonly Uint8Array[]): Uint8Array =>
  field(1, [field(1, [attribute(textField(1, server))]), field(2, metrics)]);

/** Returns as many fields as fit into a body of 1 MiB. */
function many(make: (i: number) => Uint8Array): readonly Uint8Array[] {
  const all: Uint8Array[] = [];
  for (let length = 0, i = 0; ; i += 1) {
    const next = make(i);
    length += next.length;
    if (length > MiB - 512) return all;
    all.push(next);
  }
}

function deep(levels: number): Uint8Array {
  let bytes = textField(1, 'x');
  for (let level = 0; level < levels; level += 1) bytes = field(level % 2 === 0 ? 1 : 5, [bytes]);
  return bytes;
}

const PROTOBUF: Readonly<Record<string, Uint8Array>> = {
  'tiny data points of one server': requestOf('web-1', [gaugeOf('cpu', many(point))]),
  'tiny data points of one time': requestOf('web-1', [
    gaugeOf(
      'cpu',
      many(() => point(0)),
    ),
  ]),
  'tiny data points of a metric without a window': requestOf('web-2', [gaugeOf('net', many(point))]),
  'a server each': Buffer.concat(many((i) => requestOf(`s${i}`, [gaugeOf('cpu', [point(i)])]))),
  'a metric each': requestOf(
    'web-1',
    many((i) => gaugeOf(`m${i}`, [point(i)])),
  ),
  'CPUs that may be idle': requestOf('web-1', [gaugeOf('system.cpu.utilization', many(point))]),
  'empty resources': Buffer.concat(many(() => field(1, []))),
  'empty attributes': field(1, [
    field(
      1,
      many(() => field(1, [])),
    ),
  ]),
  'deep attributes': field(1, [field(1, [attribute(deep(5_000))])]),
  'a huge name': requestOf('web-1', [gaugeOf('n'.repeat(MiB - 200), [point(0)])]),
  'a huge server': requestOf('s'.repeat(MiB - 200), [gaugeOf('cpu', [point(0)])]),
  'bytes without a message': Buffer.alloc(MiB - 64, 0xff),
};
const JSONS: Readonly<Record<string, string>> = {
  'tiny data points': fill(
    '{"resourceMetrics":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"web-1"}}]},"scopeMetrics":[{"metrics":[{"name":"cpu","gauge":{"dataPoints":[{}',
    (i) => `,{"asInt":1,"timeUnixNano":"${NOW_NS + BigInt(i) * 1_000n}"}`,
    ']}}]}]}]}',
  ),
  'empty resources': fill('{"resourceMetrics":[{}', ',{}', ']}'),
  'empty data points': fill(
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"cpu","gauge":{"dataPoints":[{}',
    ',{}',
    ']}}]}]}]}',
  ),
  'deep attributes': `{"resourceMetrics":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
};

const asked = (type: string, body: string | Uint8Array, gzip = false): Asked => ({
  method: 'POST',
  path: '/v1.0/demo/otlp/v1/metrics',
  headers: { 'Content-Type': type, ...(gzip ? { 'Content-Encoding': 'gzip' } : {}) },
  body: gzip ? gzipSync(body) : Buffer.from(body),
});
/** The worst known requests of OTLP by kind. */
export const worstOtlp: Readonly<Record<string, Asked>> = {
  ...Object.fromEntries(
    Object.entries(PROTOBUF).map(([name, body]) => [
      `OTLP in protobuf: ${name}`,
      asked('application/x-protobuf', body),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(JSONS).map(([name, body]) => [`OTLP in JSON: ${name}`, asked('application/json', body)]),
  ),
  'OTLP: a bomb': asked('application/x-protobuf', Buffer.alloc(400 * MiB), true),
};
