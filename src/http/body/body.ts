import type { IncomingMessage } from 'node:http';
import { Refusal, type RefusalCode } from '../../errors.js';
import type { EdgeContext } from '../context.js';
import { type JsonType, jsonTypeOf } from '../media-types.js';
import { CountedBody, cutShort, readCounted } from './counted-body.js';
import { parseJson } from '../../untrusted/json-text.js';
import { quoted } from '../../untrusted/text.js';

/** Reads the JSON body of a request; see `jsonBody`. */
export type ReadJson = (ctx: EdgeContext) => Promise<unknown>;

/** Reads the body of a request as bytes; see `jsonBytes`. */
export type ReadBytes = (ctx: EdgeContext) => Promise<Buffer>;

/** Limits of bodies. */
export interface BodyOptions {
  /** Maximum length of a body, bytes after inflating. */
  readonly limit: number;
  /** Allowed Content-Types; default `application/json` only. */
  readonly types?: readonly JsonType[];
  /** The refusal of any other Content-Type or Content-Encoding; default `bad-request`. */
  readonly wrongType?: 'bad-request' | 'unsupported-media-type';
}

/** Limits of JSON bodies. */
interface JsonOptions extends BodyOptions {
  /** Maximum nesting of objects and arrays, levels; default 100. */
  readonly deepest?: number;
}

/** Makes the reader of JSON bodies. It throws the errors of `jsonBytes` and `parseJson`. */
export function jsonBody({ deepest, ...options }: JsonOptions): ReadJson {
  const read = jsonBytes(options);
  return async (ctx) => parseJson(await read(ctx), deepest);
}

/**
 * Makes the reader of JSON bodies as bytes, inflated, as `boundedBytes` does. It throws `wrongType` for a Content-Type that is
 * not in `types`, and for a Content-Encoding other than gzip and deflate; `bad-request` for a charset other than UTF-8.
 */
export function jsonBytes(bodies: BodyOptions): ReadBytes {
  const { limit, types = ['application/json'], wrongType = 'bad-request' } = bodies;
  return boundedBytes(limit, (req) => {
    checkType(req, types, wrongType);
    return isCompressed(req, wrongType);
  });
}

/**
 * Makes the reader of bodies as bytes. `isInflated` checks the headers of a request, and returns true if its body is to be
 * inflated (gzip or deflate). `limit`: maximum length, bytes after inflating. Call the reader once per request, after
 * the checks of the token: the body of a refused stranger is not read. The request has no permit while its body arrives.
 * The reader throws what `isInflated` throws, and `Refusal`: `unreadable` for an incomplete body; `too-large`; `unavailable`
 * if too many bytes are being received, or too many requests are being worked on when the body is complete.
 */
export function boundedBytes(limit: number, isInflated: (req: IncomingMessage) => boolean): ReadBytes {
  return async ({ req, state: { permit } }) => {
    const compressed = isInflated(req);
    permit.pause();
    const bytes =
      !compressed && isSmall(req, limit)
        ? await smallBody(req)
        : await readCounted(new CountedBody(req, compressed, permit), limit, ', inflated');
    permit.resume();
    return bytes;
  };
}

/**
 * Maximum Content-Length of a body that is not counted. The number of connections is limited, and so are the bytes of
 * their small bodies. Counting a small body takes longer than reading it.
 */
const SMALL = 16 * 1024;

/** True if a body is small by its Content-Length, and within the limit, bytes. */
function isSmall({ headers: { 'content-length': length } }: IncomingMessage, limit: number): boolean {
  return length !== undefined && Number(length) <= Math.min(SMALL, limit);
}

const NOTHING = Buffer.alloc(0);

/**
 * Reads a small body as it is. Rejects with `Refusal('unreadable')` if it is incomplete. Node compares the body with its
 * Content-Length.
 */
function smallBody(req: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let all: Buffer[] | undefined;
    req.on('data', (chunk: Buffer) => {
      if (first === undefined) first = chunk;
      else (all ??= [first]).push(chunk);
    });
    req.on('end', () => resolve(all === undefined ? (first ?? NOTHING) : Buffer.concat(all)));
    req.on('close', () => {
      if (!req.readableEnded) reject(cutShort());
    });
    if (req.destroyed) reject(cutShort());
  });
}

function checkType({ headers }: IncomingMessage, types: readonly JsonType[], wrong: RefusalCode): void {
  const sent = headers['content-type'];
  const json = jsonTypeOf(sent);
  const isOneOf = json !== undefined && types.includes(json.type);
  if (isOneOf && json.isUtf8) return;
  const got = sent === undefined ? 'none' : quoted(sent);
  throw new Refusal(
    isOneOf ? 'bad-request' : wrong,
    `Content-Type must be ${listed(types)}, in UTF-8 if it says so; it is ${got}`,
  );
}

/** Returns `a, b or c`. */
function listed(types: readonly JsonType[]): string {
  return types.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

/** True for gzip and deflate. Throws `Refusal(wrong)` for another Content-Encoding. */
export function isCompressed({ headers }: IncomingMessage, wrong: RefusalCode): boolean {
  const encoding = headers['content-encoding']?.toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return false;
  if (['gzip', 'deflate', 'x-gzip'].includes(encoding)) return true;
  throw new Refusal(wrong, `Content-Encoding must be gzip, deflate or left out; it is ${quoted(encoding)}`);
}
