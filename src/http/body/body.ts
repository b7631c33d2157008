import type { IncomingMessage } from 'node:http';
import bodyParser from 'koa-bodyparser';
import { Refusal, type RefusalCode } from '../../errors.js';
import type { EdgeContext } from '../context.js';
import { CountedBody, cutShort } from './counted-body.js';
import { type JsonType, jsonTypeOf } from './json-type.js';
import { parseJson } from '../../untrusted/json-text.js';
import { quoted } from '../../untrusted/text.js';

/** Reads the JSON body of a request; see `jsonBody`. */
export type ReadJson = (ctx: EdgeContext) => Promise<unknown>;

/** Reads the JSON body of a request, and leaves it as the bytes that it is; see `jsonBytes`. */
export type ReadBytes = (ctx: EdgeContext) => Promise<Buffer>;

/** Which bodies are taken. */
export interface BodyOptions {
  /** Longest body, bytes after inflating. */
  readonly limit: number;
  /** What the Content-Type may be; default `application/json` alone. */
  readonly types?: readonly JsonType[];
  /** What another Content-Type, or Content-Encoding, is refused as; default `bad-request`. */
  readonly wrongType?: 'bad-request' | 'unsupported-media-type';
}

/** How deep a body may be, beside what it may be at all. */
interface JsonOptions extends BodyOptions {
  /** Levels of objects and arrays in each other; default 100. */
  readonly deepest?: number;
}

/** Reads bodies as `jsonBytes` does, and gives the value that they stand for. Throws what `parseJson` throws as well. */
export function jsonBody({ deepest, ...options }: JsonOptions): ReadJson {
  const read = jsonBytes(options);
  return async (ctx) => parseJson(await read(ctx), deepest);
}

/**
 * Reads bodies of at most `limit` bytes, after inflating. To be called once per request, behind the checks of the
 * token: a refused stranger's body is not looked at. While it arrives the request holds no place. Throws `Refusal`:
 * `wrongType` for a Content-Type that is not of `types`, and for a Content-Encoding other than gzip and deflate;
 * `bad-request` for a charset other than UTF-8; `unreadable` for what is cut short; `too-large`; `unavailable` where too
 * many bytes are being received, or too many requests worked on once it is whole.
 */
export function jsonBytes(bodies: BodyOptions): ReadBytes {
  const { limit, types = ['application/json'], wrongType = 'bad-request' } = bodies;
  const parse = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: [...types] },
    // A text would be parsed again for every body.
    textLimit: limit as unknown as string,
    // Bytes, not text: invalid UTF-8 must be noticed and not be repaired.
    encoding: null,
  } as bodyParser.Options);
  return async ({ req, state: { place } }) => {
    checkType(req, types, wrongType);
    const compressed = isCompressed(req, wrongType);
    place.pause();
    const counted = compressed || !isSmall(req) ? new CountedBody(req, compressed, place) : undefined;
    const received = new Received(counted ?? req);
    try {
      await parse(received as unknown as EdgeContext, nothingNext);
    } catch (error) {
      throw refusalOf(error, limit);
    } finally {
      counted?.destroy();
    }
    place.resume();
    return received.request.rawBody;
  };
}

/** Nothing comes behind the parser. */
const nothingNext = (): Promise<void> => DONE;
const DONE = Promise.resolve();

/**
 * Announced bytes up to which a body is not counted: connections are bounded, and so are the bytes of small bodies on
 * all of them. To count each costs more than to read it.
 */
const SMALL = 16 * 1024;

function isSmall({ headers: { 'content-length': length } }: IncomingMessage): boolean {
  return length !== undefined && Number(length) <= SMALL;
}

/** What a body is refused with that the parser has failed on. */
function refusalOf(error: unknown, limit: number): Refusal {
  if (error instanceof Refusal) return error;
  if ((error as { readonly status?: unknown }).status !== 413) return cutShort(error);
  return new Refusal('too-large', `the body must not exceed ${limit} bytes, inflated`);
}

/** A request as far as the parser needs to know it: its type has been judged, and to do so again takes long. */
class Received {
  readonly request = { is: () => 'text', body: undefined, rawBody: undefined as unknown as Buffer };
  constructor(readonly req: IncomingMessage | CountedBody) {}
}

function checkType({ headers }: IncomingMessage, types: readonly JsonType[], wrong: RefusalCode): void {
  const said = headers['content-type'];
  const json = jsonTypeOf(said);
  const isOneOf = json !== undefined && types.includes(json.type);
  if (isOneOf && json.isUtf8) return;
  const got = said === undefined ? 'none' : quoted(said);
  throw new Refusal(
    isOneOf ? 'bad-request' : wrong,
    `Content-Type must be ${types.join(' or ')}, in UTF-8 if it says so; it is ${got}`,
  );
}

function isCompressed({ headers }: IncomingMessage, wrong: RefusalCode): boolean {
  const encoding = headers['content-encoding']?.toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return false;
  if (['gzip', 'deflate', 'x-gzip'].includes(encoding)) return true;
  throw new Refusal(wrong, `Content-Encoding must be gzip, deflate or left out; it is ${quoted(encoding)}`);
}
