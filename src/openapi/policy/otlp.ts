import { policyPart, FACTS } from '../apis.js';
import type { ApiPart, Content } from '../operation.js';
import { about, anyObject, list, object, openObject, ref, text } from '../schema.js';
import { SERVER } from './examples.js';

/** Returns a message of protobuf: described as JSON, and the same as bytes. */
const message = (name: string): Content => ({ 'application/json': ref(name), 'application/x-protobuf': {} });

/** Returns the metrics of the server, with one data point each, as JSON of OTLP has them. */
const metricsOf = (...metrics: readonly (readonly [name: string, value: number, state?: string])[]) => ({
  resourceMetrics: [
    {
      resource: { attributes: [{ key: 'host.name', value: { stringValue: SERVER } }] },
      scopeMetrics: [
        {
          metrics: metrics.map(([name, asDouble, state]) => ({
            name,
            gauge: {
              dataPoints: [
                {
                  timeUnixNano: '1764200000000000000',
                  asDouble,
                  attributes: state === undefined ? [] : [{ key: 'state', value: { stringValue: state } }],
                },
              ],
            },
          })),
        },
      ],
    },
  ],
});

/** The metrics of OpenTelemetry. */
export const openTelemetry: ApiPart = {
  ...policyPart(
    'OpenTelemetry',
    'Collectors and SDKs of OpenTelemetry send metrics as OTLP/HTTP.',
    {
      'POST /v1.0/{tenantId}/otlp/v1/metrics': {
        id: 'takeOtlpMetrics',
        summary: 'Take metrics of OpenTelemetry',
        description:
          'An ExportMetricsServiceRequest, in protobuf or JSON, plain or gzip. The resource attribute `host.name`, else `host.id`, else `service.instance.id` names the server. Gauges and sums are values by name, with `_` for characters that no metric has. `system.cpu.utilization`, `system.memory.utilization` and `system.filesystem.utilization` are `cpu`, `mem` and `hdd`. Values of one server with one time are one fact, and a value counts once by its time. With `FACTS_AUTH=token` a token of the tenant is needed, with `key` the key, also as `Authorization: Bearer`.',
        access: FACTS,
        body: { content: message('OtlpMetrics') },
        answer: message('OtlpMetricsTaken'),
        errors: [404, 415],
        examples: {
          utilization: {
            body: metricsOf(
              ['system.cpu.utilization', 0.04, 'idle'],
              ['system.memory.utilization', 0.81, 'used'],
            ),
            answer: {},
          },
          'left-out': {
            body: metricsOf(['cpu', 120], ['http.server.active_requests', 7]),
            answer: {
              partialSuccess: {
                rejectedDataPoints: '1',
                errorMessage: `values left out: 1 out of range (the last: "cpu" of "${SERVER}")`,
              },
            },
          },
          'no-list': {
            body: { resourceMetrics: {} },
            status: 400,
            answer: {
              message: 'resourceMetrics: must be an array',
              details: [
                {
                  '@type': 'type.googleapis.com/google.rpc.BadRequest',
                  fieldViolations: [{ description: 'resourceMetrics: must be an array' }],
                },
              ],
            },
          },
        },
      },
    },
    {
      OtlpMetrics: openObject(
        { 'resourceMetrics?': list(anyObject) },
        { description: 'ExportMetricsServiceRequest in the JSON encoding of OTLP.' },
      ),
      OtlpMetricsTaken: {
        ...object({
          'partialSuccess?': about(
            'Present if values of known metrics were left out.',
            object({
              rejectedDataPoints: about('How many, as a decimal.', {
                type: 'string',
                pattern: '^[1-9][0-9]*$',
              }),
              errorMessage: about('Why.', text),
            }),
          ),
        }),
        description: 'ExportMetricsServiceResponse.',
      },
    },
  ),
  errorFormat: 'Status',
  errors: [401, 429],
};
