import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';

/** The exporters of OpenTelemetry's SDK by their protocols, as OTEL_EXPORTER_OTLP_PROTOCOL names them. */
const EXPORTERS = { 'http/protobuf': ProtobufExporter, 'http/json': JsonExporter } as const;

export type Protocol = keyof typeof EXPORTERS;

/** The protocols of OTLP/HTTP. */
export const PROTOCOLS = Object.keys(EXPORTERS) as readonly Protocol[];

/**
 * Makes a provider of meters of OpenTelemetry's SDK, which sends what is measured to `url` with `forceFlush`. Bodies are
 * compressed with gzip.
 */
export function metricsSender(
  protocol: Protocol,
  url: string,
  attributes: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): MeterProvider {
  // Its enumeration is in a package of the exporters.
  const compressed = { compression: 'gzip' } as object;
  const exporter = new EXPORTERS[protocol]({ url, headers, ...compressed });
  const exportIntervalMillis = 3_600_000;
  return new MeterProvider({
    resource: resourceFromAttributes(attributes),
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis })],
  });
}
