import protobuf from 'protobufjs/minimal.js';
import { compressSync } from 'snappy';
import type { Asked } from './asking-thread.js';
import { many, MiB } from './worst-bodies.js';

type Writer = protobuf.Writer;

const V1 = 'application/x-protobuf';
const V2 = 'application/x-protobuf;proto=io.prometheus.write.v2.Request';
/** Tags of delimited fields. */
const [FIRST, SECOND, SYMBOL, SERIES] = [10, 18, 34, 42] as const;
const AT = 1_700_000_000_000;

/** Returns as many of the fields as fit into 1 MiB. */
function filled(write: (writer: Writer, i: number) => void): Buffer {
  const fields: Uint8Array[] = [];
  let size = 0;
  for (let i = 0; ; i += 1) {
    const writer = new protobuf.Writer();
    write(writer, i);
    const field = writer.finish();
    size += field.length;
    if (size > MiB) return Buffer.concat(fields);
    fields.push(field);
  }
}

/** Writes a series of remote write 1.0. */
function seriesOf(writer: Writer, server: string, metric: string, samples: number): void {
  writer.uint32(FIRST).fork();
  for (const [name, value] of [
    ['instance', server],
    ['__name__', metric],
  ] as const)
    writer.uint32(FIRST).fork().uint32(FIRST).string(name).uint32(SECOND).string(value).ldelim();
  for (let i = 0; i < samples; i += 1)
    writer
      .uint32(SECOND)
      .fork()
      .uint32(16)
      .int64(AT + i)
      .ldelim();
  writer.ldelim();
}

const cpuOf = (writer: Writer, server: string, samples: number): void =>
  seriesOf(writer, server, 'cpu', samples);

function written(write: (writer: Writer) => void): Buffer {
  const writer = new protobuf.Writer();
  write(writer);
  return Buffer.from(writer.finish());
}

/** Blocks of snappy that say another length than they have: 4 GiB of nothing, and nothing of 400 MiB. */
const lies = {
  'a bomb': compressSync(Buffer.alloc(400 * MiB)),
  'a length without bytes': Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0]),
  'bytes without a length': Buffer.concat([Buffer.from([1]), compressSync(Buffer.alloc(MiB)).subarray(3)]),
  'a literal of a negative length': Buffer.from([10, 0xfc, 0xfa, 0xff, 0xff, 0xff, ...Buffer.alloc(30)]),
};

const messages1: Readonly<Record<string, Buffer>> = {
  'empty series': filled((writer) => writer.uint32(FIRST).bytes(Buffer.alloc(0))),
  'series of an empty sample': filled((writer) =>
    writer.uint32(FIRST).fork().uint32(SECOND).bytes(Buffer.alloc(0)).ldelim(),
  ),
  'empty labels': written((writer) =>
    writer.uint32(FIRST).bytes(filled((label) => label.uint32(FIRST).bytes(Buffer.alloc(0))).subarray(8)),
  ),
  servers: filled((writer, i) => cpuOf(writer, `w${i}`, 1)),
  'samples of one server': written((writer) => cpuOf(writer, 'one', 100_000)),
  'long names': written((writer) => cpuOf(writer, '漢'.repeat(340_000), 1)),
  'groups in groups': Buffer.alloc(MiB, 0x0b),
  'messages in messages': written((writer) => {
    // Each byte 0x0a begins a field of 10 bytes.
    writer.uint32(FIRST).bytes(Buffer.alloc(MiB - 8, 0x0a));
  }),
};

const messages2: Readonly<Record<string, Buffer>> = {
  symbols: filled((writer) => writer.uint32(SYMBOL).string('')),
  'references to one long symbol': written((writer) => {
    for (const symbol of ['', 'instance', 'é'.repeat(100_000), '__name__', 'cpu'])
      writer.uint32(SYMBOL).string(symbol);
    for (let i = 0; i < 30_000; i += 1) {
      writer
        .uint32(SERIES)
        .fork()
        .uint32(FIRST)
        .bytes(Buffer.from([1, 2, 3, 4]));
      writer
        .uint32(SECOND)
        .fork()
        .uint32(16)
        .int64(AT + i)
        .ldelim()
        .ldelim();
    }
  }),
  'one series of references': written((writer) => {
    writer.uint32(SYMBOL).string('').uint32(SERIES).fork();
    writer
      .uint32(FIRST)
      .bytes(Buffer.from(many(MiB - 64, () => 0)))
      .ldelim();
  }),
};

const asked = (type: string, body: Buffer): Asked => ({
  method: 'POST',
  path: '/v1.0/demo/remote-write',
  headers: { 'Content-Type': type, 'Content-Encoding': 'snappy' },
  body,
});

/** Bodies of remote write with as many metrics as fit, by kind. No other body has the same names: `nth` is its number. */
export const newMetrics: Readonly<Record<string, (nth: number) => Asked>> = Object.fromEntries(
  [1, 25, 400].map((servers) => [
    `of ${servers} servers`,
    (nth: number) =>
      asked(
        V1,
        compressSync(
          filled((writer, i) => seriesOf(writer, `w${i % servers}`, `m${servers}_${nth}_${i}`, 1)),
        ),
      ),
  ]),
);

/** The worst known bodies of remote write, by kind: each at most 1 MiB once inflated, or a lie about that. */
export function worstWrites(): Readonly<Record<string, Asked>> {
  const named = (type: string, bodies: Readonly<Record<string, Buffer>>) =>
    Object.entries(bodies).map(([name, body]) => [`remote write: ${name}`, asked(type, body)] as const);
  const inflated = (bodies: Readonly<Record<string, Buffer>>) =>
    Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, compressSync(body)]));
  return Object.fromEntries([
    ...named(V1, { ...lies, ...inflated(messages1) }),
    ...named(V2, inflated(messages2)),
  ]);
}
