import type { IncomingMessage } from 'node:http';
import bodyParser from 'koa-bodyparser';
import { Refusal } from '../errors.js';
import type { EdgeContext } from './context.js';
import { isJsonType } from './json-type.js';
import { parseJson } from './json-text.js';
import { quoted } from './quoted.js';

/** Reads the JSON body of a request; see `jsonBody`. */
export type ReadJson = (ctx: EdgeContext) => Promise<unknown>;

/** How much of bodies is held. */
interface BodyOptions {
  /** Longest body, bytes after inflating. */
  readonly limit: number;
  /** Bytes of all bodies that are being read at the same time; default 256 MiB or 64 times `limit`. */
  readonly budget?: number;
}

const BUDGET = 256 * 1024 ** 2;

/**
 * Reads bodies of at most `limit` bytes, after inflating. To be called once per request, behind the checks of the
 * token: a refused stranger's body is not looked at. Throws `Refusal`: `bad-request` for a Content-Type that is not
 * `application/json` in UTF-8, a Content-Encoding other than gzip and deflate, and bytes that are no JSON; `too-large`;
 * `unavailable` while the bodies under way use up `budget`.
 */
export function jsonBody({ limit, budget = Math.max(BUDGET, 64 * limit) }: BodyOptions): ReadJson {
  let reserved = 0;
  const options = {
    enableTypes: ['text'],
    extendTypes: { text: ['application/json'] },
    textLimit: String(limit),
    // Bytes, not text: invalid UTF-8 must be noticed and not be repaired.
    encoding: null,
  };
  const parse = bodyParser(options);
  return async (ctx) => {
    checkHeaders(ctx.req);
    const size = mostOf(ctx.req, limit);
    if (reserved + size > budget) {
      throw new Refusal(
        'unavailable',
        'too many bytes are being received at the same time; nothing was done',
      );
    }
    reserved += size;
    const done = parse(ctx, async () => undefined);
    try {
      await ('content-encoding' in ctx.req.headers ? Promise.race([done, departure(ctx.req)]) : done);
    } catch (error) {
      throw unreadable(error, limit);
    } finally {
      reserved -= size;
    }
    const { rawBody } = ctx.request as { readonly rawBody?: Buffer };
    return parseJson(rawBody ?? Buffer.alloc(0));
  };
}

function checkHeaders({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (!isJsonType(type)) {
    const got = type === undefined ? 'none' : quoted(type);
    throw new Refusal(
      'bad-request',
      `Content-Type must be application/json, in UTF-8 if it says so; it is ${got}`,
    );
  }
  const encoding = headers['content-encoding']?.toLowerCase();
  if (encoding === undefined) return;
  if (!['gzip', 'deflate', 'x-gzip', 'identity', ''].includes(encoding)) {
    throw new Refusal(
      'bad-request',
      `Content-Encoding must be gzip, deflate or left out; it is ${quoted(encoding)}`,
    );
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
    return new Refusal('bad-request', 'the body is not what its Content-Encoding says, or is cut short', {
      cause: error,
    });
  }
  return new Refusal('bad-request', 'the body ended before it was whole', { cause: error });
}
