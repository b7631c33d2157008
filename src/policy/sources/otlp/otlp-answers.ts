import { createRequire } from 'node:module';
import type protobuf from 'protobufjs/minimal.js';
import type { OtlpEncoding } from './otlp-values.js';

const require = createRequire(import.meta.url);

/** What a request left out of metrics that are known. */
export interface Rejected {
  /** Number of values. */
  readonly dataPoints: number;
  /** Why. */
  readonly message: string;
}

/** The Content-Type of each encoding. */
export const OTLP_TYPES: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

const TYPE = /^(?<type>[^;\s]+)[ \t]*(?:;|$)/;

/** Returns the encoding of a Content-Type; undefined for any other type. */
export function otlpEncodingOf(contentType: string | undefined): OtlpEncoding | undefined {
  const type = TYPE.exec(contentType ?? '')?.groups?.['type']?.toLowerCase();
  if (type === OTLP_TYPES.protobuf) return 'protobuf';
  return type === OTLP_TYPES.json ? 'json' : undefined;
}

/** Returns an ExportMetricsServiceResponse. `rejected`: undefined for a full success. */
export function exportResponse(encoding: OtlpEncoding, rejected: Rejected | undefined): Buffer {
  if (encoding === 'json') {
    const partialSuccess = rejected && {
      // JSON of protobuf has 64-bit integers as strings.
      rejectedDataPoints: String(rejected.dataPoints),
      errorMessage: rejected.message,
    };
    return jsonBytes(rejected === undefined ? {} : { partialSuccess });
  }
  if (rejected === undefined) return Buffer.alloc(0);
  return message((response) =>
    response
      .uint32(tag(1))
      .fork()
      .uint32(8)
      .int64(rejected.dataPoints)
      .uint32(tag(2))
      .string(rejected.message)
      .ldelim(),
  );
}

const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/**
 * Returns a `google.rpc.Status`, the body of each error of OTLP/HTTP. `isBadData`: the request itself is wrong, which its
 * `details` say too ("Bad Data").
 */
export function statusOf(encoding: OtlpEncoding, text: string, isBadData: boolean): Buffer {
  if (encoding === 'json') {
    const details = [{ '@type': BAD_REQUEST, fieldViolations: [{ description: text }] }];
    return jsonBytes(isBadData ? { message: text, details } : { message: text });
  }
  return message((status) => {
    status.uint32(tag(2)).string(text);
    if (!isBadData) return;
    const violation = message((one) => one.uint32(tag(2)).string(text));
    const badRequest = message((one) => one.uint32(tag(1)).bytes(violation));
    status.uint32(tag(3)).fork().uint32(tag(1)).string(BAD_REQUEST).uint32(tag(2)).bytes(badRequest).ldelim();
  });
}

/** Returns the tag of a field with a length. */
const tag = (field: number): number => (field << 3) | 2;

function message(write: (writer: protobuf.Writer) => unknown): Buffer {
  // Loaded with the first answer that needs it: most services get no OTLP.
  const { Writer } = require('protobufjs/minimal.js') as typeof protobuf;
  const writer = Writer.create();
  write(writer);
  return Buffer.from(writer.finish());
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
