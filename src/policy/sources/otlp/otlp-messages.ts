import type { MessageDescriptors } from '../../../untrusted/protobuf.js';

/**
 * The messages of OTLP metrics, with the fields that are read here. Names are those of the JSON encoding.
 *
 * Source: https://github.com/open-telemetry/opentelemetry-proto, v1.10.0, `opentelemetry/proto/collector/metrics/v1/`
 * `metrics_service.proto`, `metrics/v1/metrics.proto`, `resource/v1/resource.proto` and `common/v1/common.proto`. Copyright
 * The OpenTelemetry Authors, Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0).
 */
export const OTLP_MESSAGES: MessageDescriptors = {
  ExportMetricsServiceRequest: {
    fields: { resourceMetrics: { type: 'ResourceMetrics', id: 1, rule: 'repeated' } },
  },
  ResourceMetrics: {
    fields: {
      resource: { type: 'Resource', id: 1 },
      scopeMetrics: { type: 'ScopeMetrics', id: 2, rule: 'repeated' },
    },
  },
  Resource: { fields: { attributes: { type: 'KeyValue', id: 1, rule: 'repeated' } } },
  ScopeMetrics: { fields: { metrics: { type: 'Metric', id: 2, rule: 'repeated' } } },
  Metric: {
    fields: {
      name: { type: 'string', id: 1 },
      gauge: { type: 'Gauge', id: 5 },
      sum: { type: 'Sum', id: 7 },
      histogram: { type: 'Distribution', id: 9 },
      exponentialHistogram: { type: 'Distribution', id: 10 },
      summary: { type: 'Distribution', id: 11 },
    },
  },
  Gauge: { fields: { dataPoints: { type: 'NumberDataPoint', id: 1, rule: 'repeated' } } },
  Sum: { fields: { dataPoints: { type: 'NumberDataPoint', id: 1, rule: 'repeated' } } },
  /** What histograms, exponential histograms and summaries have in common. */
  Distribution: { fields: { dataPoints: { type: 'DistributionDataPoint', id: 1, rule: 'repeated' } } },
  DistributionDataPoint: { fields: { timeUnixNano: { type: 'fixed64', id: 3 } } },
  NumberDataPoint: {
    fields: {
      timeUnixNano: { type: 'fixed64', id: 3 },
      asDouble: { type: 'double', id: 4 },
      asInt: { type: 'sfixed64', id: 6 },
      attributes: { type: 'KeyValue', id: 7, rule: 'repeated' },
      flags: { type: 'uint32', id: 8 },
    },
  },
  KeyValue: { fields: { key: { type: 'string', id: 1 }, value: { type: 'AnyValue', id: 2 } } },
  AnyValue: { fields: { stringValue: { type: 'string', id: 1 } } },
};
