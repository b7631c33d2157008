import type { FactsSettings } from '../../facts/measuring-attributes.js';
import { type OtlpEncoding, otlpReader } from '../../sources/otlp/otlp-values.js';
import { readRemoteWrite, type RemoteWriteMessage } from '../../sources/remote-write.js';
import { inflated } from '../../sources/snappy-block.js';
import { sourceReader } from '../../sources/source-facts.js';

/**
 * Makes the functions that read the bodies of sources, by name. They throw `Refusal`: `unreadable` or `bad-request`. What they
 * import is loaded with the first body of a source.
 */
export function sourceReaders(settings: FactsSettings) {
  const factsOf = sourceReader(settings);
  const remoteWrite = (message: RemoteWriteMessage) => (bytes: Buffer) => {
    const { values, ...counts } = readRemoteWrite(message, inflated(bytes));
    return { facts: factsOf(values), ...counts };
  };
  const valuesOf = otlpReader(settings.metrics);
  const otlp = (encoding: OtlpEncoding) => (bytes: Buffer) => ({ facts: factsOf(valuesOf(bytes, encoding)) });
  return {
    /** Remote write: a snappy block. */
    'prometheus.WriteRequest': remoteWrite('prometheus.WriteRequest'),
    'io.prometheus.write.v2.Request': remoteWrite('io.prometheus.write.v2.Request'),
    /** OTLP, inflated. */
    'otlp protobuf': otlp('protobuf'),
    'otlp json': otlp('json'),
  };
}

type Readers = ReturnType<typeof sourceReaders>;

/** What the bodies of sources are read as, by name. */
export type SourceBody = { readonly [B in keyof Readers]: ReturnType<Readers[B]> };
