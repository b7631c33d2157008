import type { IncomingMessage } from 'node:http';
import bodyParser from 'koa-bodyparser';
import { Refusal, type RefusalCode } from '../errors.js';
import type { EdgeContext } from './context.js';
import { type JsonType, jsonTypeOf } from './json-type.js';
import { parseJson } from './json-text.js';
import { quoted } from './quoted.js';

/** Reads the JSON body of a request; see `jsonBody`. */
export type ReadJson = (ctx: EdgeContext) => Promise<unknown>;

/** Reads the JSON body of a request, and leaves it as the bytes that it is; see `jsonBytes`. */
export type ReadBytes = (ctx: EdgeContext) => Promise<Buffer>;

/** Which bodies are taken, and how much of them is held. */
export interface BodyOptions {
  /** Longest body, bytes after inflating. */
  readonly limit: number;
  /** Bytes of all bodies that are being read at the same time; default 256 MiB or 64 times `limit`. */
  readonly budget?: number;
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

const BUDGET = 256 * 1024 ** 2;

/** Reads bodies as `jsonBytes` does, and gives the value that they stand for. Throws what `parseJson` throws as well. */
export function jsonBody({ deepest, ...options }: JsonOptions): ReadJson {
  const read = jsonBytes(options);
  return async (ctx) => parseJson(await read(ctx), deepest);
}

/**
 * Reads bodies of at most `limit` bytes, after inflating. To be called once per request, behind the checks of the
 * token: a refused stranger's body is not looked at. Throws `Refusal`: `wrongType` for a Content-Type that is not of
 * `types`, and for a Content-Encoding other than gzip and deflate; `bad-request` for a charset other than UTF-8;
 * `unreadable` for what is cut short; `too-large`; `unavailable` while the bodies under way use up `budget`.
 */
export function jsonBytes(bodies: BodyOptions): ReadBytes {
  const { limit, budget = Math.max(BUDGET, 64 * limit), types = ['application/json'] } = bodies;
  const { wrongType = 'bad-request' } = bodies;
  let reserved = 0;
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: [...types] },
    textLimit: String(limit),
    // Bytes, not text: invalid UTF-8 must be noticed and not be repaired.
    encoding: null,
  };
  const parse = bodyParser(options);
  return async (ctx) => {
    checkType(ctx.req, types, wrongType);
    checkEncoding(ctx.req, wrongType);
    const size = mostOf(ctx.req, limit);
    if (reserved + size > budget) {
      throw new Refusal(
        'unavailable',
        'too many bytes are being received at the same time; nothing was done',
      );
    }
    reserved += size;
    const received = new Received(ctx.req);
    const done = parse(received as unknown as EdgeContext, async () => undefined);
    try {
      await ('content-encoding' in ctx.req.headers ? Promise.race([done, departure(ctx.req)]) : done);
    } catch (error) {
      throw unreadable(error, limit);
    } finally {
      reserved -= size;
    }
    return received.request.rawBody;
  };
}

/** A request as far as the parser needs to know it: its type has been judged, and to do so again takes long. */
class Received {
  readonly request = { is: () => 'text', body: undefined, rawBody: undefined as unknown as Buffer };
  constructor(readonly req: IncomingMessage) {}
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

function checkEncoding({ headers }: IncomingMessage, wrong: RefusalCode): void {
  const encoding = headers['content-encoding']?.toLowerCase();
  if (encoding === undefined) return;
  if (!['gzip', 'deflate', 'x-gzip', 'identity', ''].includes(encoding)) {
    throw new Refusal(wrong, `Content-Encoding must be gzip, deflate or left out; it is ${quoted(encoding)}`);
  }
  // The parser behind knows the names in lower case only.
  headers['content-encoding'] = encoding === 'x-gzip' ? 'gzip' : encoding || 'identity';
}

/** The bytes that a body may come to: what it announces, else as many as are allowed. */
function mostOf({ headers }: IncomingMessage, limit: number): number {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = headers;
  return length === undefined || encoding !== 'identity' ? limit : Math.min(Number(length), limit);
}

/** Rejects when the client goes away: between it and the parser is an inflater, which would wait for ever. */
function departure(req: IncomingMessage): Promise<never> {
  return new Promise((_resolve, reject) => {
    req.once('close', () => (req.complete ? undefined : reject(new Error('request aborted'))));
  });
}

function unreadable(error: unknown, limit: number): unknown {
  if (!(error instanceof Error)) return error;
  const { status, code = '' } = error as Error & { readonly status?: unknown; readonly code?: string };
  if (status === 413) return new Refusal('too-large', `the body must not exceed ${limit} bytes, inflated`);
  if (code.startsWith('Z_')) {
    return new Refusal('unreadable', 'the body is not what its Content-Encoding says, or is cut short', {
      cause: error,
    });
  }
  return new Refusal('unreadable', 'the body ended before it was whole', { cause: error });
}
