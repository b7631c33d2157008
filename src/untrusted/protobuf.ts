import protobuf from 'protobufjs/minimal.js';
import { Refusal } from '../errors.js';

/** The scalar types that are read. 64-bit integers become the nearest JavaScript number. */
type Scalar = 'string' | 'bool' | 'double' | 'uint32' | 'int32' | 'int64' | 'uint64' | 'fixed64' | 'sfixed64';

/** A field as the descriptors of protobufjs have it (`toJSON` of a `Type`). */
export interface FieldDescriptor {
  /** A scalar type, or the name of a message. */
  readonly type: string;
  /** The number of the field. */
  readonly id: number;
  readonly rule?: 'repeated';
}

/** The messages of a format, by name, with those of their fields that are read. All other fields are skipped. */
export type MessageDescriptors = Readonly<
  Record<string, { readonly fields: Readonly<Record<string, FieldDescriptor>> }>
>;

/** A message that was read: absent fields are absent members, and repeated ones are arrays. */
export type ReadMessage = Record<string, unknown>;

type Reader = protobuf.Reader;

interface Field {
  readonly name: string;
  readonly repeated: boolean;
  readonly wireType: number;
  /** undefined for a message. */
  readonly scalar: ((reader: Reader) => unknown) | undefined;
  /** undefined for a scalar. */
  readonly message: Fields | undefined;
}

/** By number. */
type Fields = ReadonlyMap<number, Field>;

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

const UPPER = 2 ** 32;

const scalars: Readonly<Record<Scalar, readonly [wireType: number, read: (reader: Reader) => unknown]>> = {
  string: [DELIMITED, (reader) => reader.string()],
  bool: [VARINT, (reader) => reader.bool()],
  double: [FIXED_64, (reader) => reader.double()],
  uint32: [VARINT, (reader) => reader.uint32()],
  int32: [VARINT, (reader) => reader.int32()],
  int64: [VARINT, (reader) => Number(reader.int64())],
  uint64: [VARINT, (reader) => Number(reader.uint64())],
  // Two halves: the reader's own numbers of 64 bits are objects.
  fixed64: [FIXED_64, (reader) => reader.fixed32() + reader.fixed32() * UPPER],
  sfixed64: [FIXED_64, (reader) => reader.fixed32() + reader.sfixed32() * UPPER],
};

/**
 * Makes the function that reads a message of protobuf (proto3) from bytes. `messages` describe what is read of it, none of
 * them with itself inside; `root` is its name. No code is generated. What is not described is skipped, however deep it is.
 * The function throws `Refusal('unreadable')` for bytes that are no such message.
 */
export function protobufReader(messages: MessageDescriptors, root: string): (bytes: Buffer) => ReadMessage {
  const fields = compiled(messages, root);
  return (bytes) => {
    const reader = protobuf.Reader.create(bytes);
    try {
      return readMessage(reader, bytes.length, fields, {});
    } catch (cause) {
      const text = `the body is not a protobuf message of type ${root}, near its byte ${reader.pos}`;
      throw new Refusal('unreadable', text, { cause });
    }
  };
}

function compiled(messages: MessageDescriptors, name: string): Fields {
  const fields = Object.entries(messages[name]!.fields);
  return new Map(
    fields.map(([field, { type, id, rule }]) => {
      const [wireType, scalar] = scalars[type as Scalar] ?? [DELIMITED, undefined];
      const message = scalar === undefined ? compiled(messages, type) : undefined;
      return [id, { name: field, repeated: rule === 'repeated', wireType, scalar, message }];
    }),
  );
}

/** Reads the fields up to `end` into a message, and returns it. */
function readMessage(reader: Reader, end: number, fields: Fields, message: ReadMessage): ReadMessage {
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = fields.get(tag >>> 3);
    const wireType = tag & 7;
    if (field === undefined) skip(reader, wireType);
    else if (wireType === field.wireType) readField(reader, field, message);
    else if (wireType === DELIMITED && field.repeated && field.scalar !== undefined) {
      readPacked(reader, field, message);
    } else skip(reader, wireType);
  }
  if (reader.pos !== end) throw new RangeError('a field ends after its message');
  return message;
}

function readField(reader: Reader, field: Field, message: ReadMessage): void {
  const { name, repeated, scalar, message: fields } = field;
  if (scalar !== undefined) {
    const value = scalar(reader);
    if (repeated) listOf(message, name).push(value);
    else message[name] = value;
    return;
  }
  const end = endOf(reader);
  if (repeated) listOf(message, name).push(readMessage(reader, end, fields!, {}));
  // A message that is sent in parts is one (protobuf, "Last One Wins").
  else readMessage(reader, end, fields!, (message[name] ??= {}) as ReadMessage);
}

/** Reads a list of numbers in one field. */
function readPacked(reader: Reader, { name, scalar }: Field, message: ReadMessage): void {
  const list = listOf(message, name);
  const end = endOf(reader);
  while (reader.pos < end) list.push(scalar!(reader));
  if (reader.pos !== end) throw new RangeError('a number ends after its list');
}

function listOf(message: ReadMessage, name: string): unknown[] {
  return (message[name] ??= []) as unknown[];
}

/** Reads a length, and returns where what it announces ends. */
function endOf(reader: Reader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new RangeError('a field is longer than the body');
  return end;
}

/** Skips a field. Groups, which proto3 does not have, are refused. */
function skip(reader: Reader, wireType: number): void {
  if (wireType === VARINT) reader.skip();
  else if (wireType === FIXED_64) reader.skip(8);
  else if (wireType === DELIMITED) reader.skip(reader.uint32());
  else if (wireType === FIXED_32) reader.skip(4);
  else throw new RangeError(`wire type ${wireType}`);
}
