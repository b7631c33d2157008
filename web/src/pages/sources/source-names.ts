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
  'no metric': 'The service has no metric of this name. The setting METRICS adds metrics.',
  'no time': 'It has no time: if it came again, it would count again.',
  'not a number': 'It is not a number.',
  'out of range': 'It is out of the range of its metric.',
  repeated: 'A value with its time has counted already.',
  older: 'A value with a later time has counted already.',
};
