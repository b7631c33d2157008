import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { NO_TRACING, type Tracing } from '../tracing/port.js';

/** Opens the configured tracing. Its packages are loaded only if it is on. */
export async function openConfiguredTracing({
  config,
  log,
  version,
  node,
}: {
  readonly config: Config;
  readonly log: Logger;
  readonly version: string;
  readonly node: string;
}): Promise<Tracing> {
  if (config.tracing === undefined) return NO_TRACING;
  const { openTracing } = await import('../tracing/open-telemetry.js');
  const onError = (error: unknown): void =>
    log.warn({ err: error }, 'traces could not be sent; see OTEL_EXPORTER_OTLP_ENDPOINT');
  return openTracing({ ...config.tracing, version, node, onError });
}
