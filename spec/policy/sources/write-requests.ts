import protobuf from 'protobufjs/minimal.js';
import { compressSync } from 'snappy';
import type { RemoteWriteMessage } from '../../../src/policy/sources/remote-write.js';

/** A series as remote write sends it. */
export interface SentSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples?: readonly (readonly [value: number, at: number])[];
  /** Numbers of native histograms and of exemplars. */
  readonly histograms?: number;
  readonly exemplars?: number;
}

/** Returns a series with one sample. */
export function series(instance: string, name: string, value: number, at: number): SentSeries {
  return { labels: { __name__: name, instance, job: 'node' }, samples: [[value, at]] };
}

const DELIMITED = 2;
const tag = (field: number, wireType = DELIMITED): number => (field << 3) | wireType;

/** Returns the bytes of a message of remote write 1.0, or of 2.0, with a `created_timestamp` and metadata. */
export function writeRequest(message: RemoteWriteMessage, all: readonly SentSeries[]): Buffer {
  return message === 'prometheus.WriteRequest' ? version1(all) : version2(all);
}

/** Returns the body of a request. */
export function writeBody(message: RemoteWriteMessage, all: readonly SentSeries[]): Buffer {
  return compressSync(writeRequest(message, all));
}

function version1(all: readonly SentSeries[]): Buffer {
  const writer = new protobuf.Writer();
  // Metadata, which Prometheus sends in messages of this type.
  writer.uint32(tag(3)).fork().uint32(tag(2)).string('cpu').ldelim();
  for (const { labels, samples = [], histograms = 0, exemplars = 0 } of all) {
    writer.uint32(tag(1)).fork();
    for (const [name, value] of Object.entries(labels))
      writer.uint32(tag(1)).fork().uint32(tag(1)).string(name).uint32(tag(2)).string(value).ldelim();
    writeSamples(writer, samples);
    for (let i = 0; i < exemplars; i += 1) writer.uint32(tag(3)).fork().uint32(tag(2, 1)).double(1).ldelim();
    for (let i = 0; i < histograms; i += 1) writer.uint32(tag(4)).fork().uint32(tag(3, 1)).double(1).ldelim();
    writer.ldelim();
  }
  return Buffer.from(writer.finish());
}

function version2(all: readonly SentSeries[]): Buffer {
  const symbols = new Map([['', 0]]);
  const refOf = (text: string): number => {
    const ref = symbols.get(text) ?? symbols.size;
    symbols.set(text, ref);
    return ref;
  };
  const refs = all.map(({ labels }) => Object.entries(labels).flat().map(refOf));
  const writer = new protobuf.Writer();
  for (const symbol of symbols.keys()) writer.uint32(tag(4)).string(symbol);
  for (const [i, { samples = [], histograms = 0, exemplars = 0 }] of all.entries()) {
    writer.uint32(tag(5)).fork().uint32(tag(1)).fork();
    for (const ref of refs[i]!) writer.uint32(ref);
    writer.ldelim();
    writeSamples(writer, samples);
    for (let n = 0; n < histograms; n += 1) writer.uint32(tag(3)).fork().uint32(tag(3, 1)).double(1).ldelim();
    for (let n = 0; n < exemplars; n += 1) writer.uint32(tag(4)).fork().uint32(tag(2, 1)).double(1).ldelim();
    writer.uint32(tag(5)).fork().uint32(tag(1, 0)).uint32(2).ldelim();
    writer.uint32(tag(6, 0)).int64(1).ldelim();
  }
  return Buffer.from(writer.finish());
}

function writeSamples(writer: protobuf.Writer, samples: NonNullable<SentSeries['samples']>): void {
  for (const [value, at] of samples) {
    writer.uint32(tag(2)).fork();
    // What is 0 is not sent.
    if (!Object.is(value, 0)) writer.uint32(tag(1, 1)).double(value);
    if (at !== 0) writer.uint32(tag(2, 0)).int64(at);
    writer.ldelim();
  }
}
