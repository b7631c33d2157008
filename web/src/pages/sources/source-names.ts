import type { LeftOutView, SourceView } from '../../../../src/policy/sources/shapes.js';

/** Names of the sources. */
export const SOURCE_NAMES: Readonly<Record<SourceView['source'], string>> = {
  'remote-write': 'Prometheus remote write',
  otlp: 'OpenTelemetry',
  mqtt: 'MQTT',
};

/** Why values were left out, as sentences. */
export const WHY: Readonly<Record<LeftOutView['why'], string>> = {
  'no server': 'It names no server.',
  'no metric': 'It is not a metric here. The setting METRICS lists metrics.',
  'no time': 'It has no time, so that it could count more than once.',
  'not a number': 'It is not a number.',
  'out of range': 'It is out of the range of its metric.',
  repeated: 'Its time is that of a value that counted already.',
  older: 'It is older than a value that counted.',
};
