import protobuf from 'protobufjs';
import { OTLP_MESSAGES } from '../../../../src/policy/sources/otlp/otlp-messages.js';
import type { OtlpEncoding } from '../../../../src/policy/sources/otlp/otlp-values.js';

/** Attributes with texts, by name. */
export type Attributes = Readonly<Record<string, string>>;

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));

/** Returns an ExportMetricsServiceRequest as JSON has it. */
export const exportRequest = (...resourceMetrics: readonly object[]) => ({ resourceMetrics });

/** Returns the metrics of a resource. */
export const resource = (attributes: Attributes, ...metrics: readonly object[]) => ({
  resource: { attributes: attributesOf(attributes) },
  scopeMetrics: [{ scope: { name: 'spec' }, metrics }],
});

/** Returns a gauge. */
export const gauge = (name: string, ...dataPoints: readonly object[]) => ({ name, gauge: { dataPoints } });

/** Returns a cumulative sum. */
export const sum = (name: string, ...dataPoints: readonly object[]) => ({
  name,
  sum: { dataPoints, aggregationTemporality: 2, isMonotonic: false },
});

/** Returns a data point. `at` is in ms since the epoch, down to µs. */
export const point = (value: number | bigint, at: number, attributes: Attributes = {}) => ({
  attributes: attributesOf(attributes),
  timeUnixNano: String(BigInt(Math.round(at * 1000)) * 1000n),
  ...(typeof value === 'bigint'
    ? { asInt: String(value) }
    : { asDouble: Number.isFinite(value) ? value : String(value) }),
});

/** Returns the bytes of a request in an encoding. The encoder of protobufjs takes what JSON has. */
export function encoded(request: object, encoding: OtlpEncoding): Buffer {
  if (encoding === 'json') return Buffer.from(JSON.stringify(request));
  const type = protobuf.Root.fromJSON({ nested: OTLP_MESSAGES }).lookupType('ExportMetricsServiceRequest');
  return Buffer.from(type.encode(type.fromObject(request)).finish());
}
