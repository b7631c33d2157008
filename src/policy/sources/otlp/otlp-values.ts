import type { MetricSettings } from '../../../config/metrics.js';
import { parseJson } from '../../../untrusted/json-text.js';
import { protobufReader } from '../../../untrusted/protobuf.js';
import type { SourceValue } from '../source-value.js';
import { dataPointsOf } from './data-points.js';
import { HostValues } from './host-conventions.js';
import { OTLP_MESSAGES } from './otlp-messages.js';

/** The encodings of OTLP/HTTP. */
export type OtlpEncoding = 'protobuf' | 'json';

const readRequest = protobufReader(OTLP_MESSAGES, 'ExportMetricsServiceRequest');

/**
 * Makes the function that reads the values in an inflated ExportMetricsServiceRequest: gauges and sums by name, and cpu, mem and
 * hdd of the host semantic conventions. Their metrics themselves are values only if the setting `METRICS` lists them: one
 * data point of many says little. The function throws `Refusal`: `unreadable` or `bad-request`.
 */
export function otlpReader({
  listed,
}: MetricSettings): (bytes: Buffer, encoding: OtlpEncoding) => readonly SourceValue[] {
  const isListed = (metric: string): boolean =>
    listed.some(({ name }) => name === metric.replaceAll('.', '_'));
  return (bytes, encoding) => {
    const values: SourceValue[] = [];
    const host = new HostValues();
    const request = encoding === 'json' ? parseJson(bytes) : readRequest(bytes);
    for (const point of dataPointsOf(request)) {
      const isOfHost = HostValues.has(point.metric);
      if (isOfHost) host.add(point);
      if (!isOfHost || isListed(point.metric)) values.push(point);
    }
    for (const value of host.values()) values.push(value);
    return values;
  };
}
