import type { IncomingMessage } from 'node:http';
import bodyParser from 'koa-bodyparser';
import { Refusal, type RefusalCode } from '../../errors.js';
import type { EdgeContext } from '../context.js';
import { type JsonType, jsonTypeOf } from '../media-types.js';
import { CountedBody, cutShort } from './counted-body.js';
import { isSmall, smallBody } from './small-body.js';
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
 * Makes the reader of bodies as bytes, inflated. Call it once per request, after the checks of the token: the body of a
 * refused stranger is not read. The request has no permit while its body arrives. The reader throws `Refusal`: `wrongType`
 * for a Content-Type that is not in `types`, and for a Content-Encoding other than gzip and deflate; `bad-request` for a
 * charset other than UTF-8; `unreadable` for an incomplete body; `too-large`; `unavailable` if too many bytes are being
 * received, or too many requests are being worked on when the body is complete.
 */
export function jsonBytes(bodies: BodyOptions): ReadBytes {
  const { limit, types = ['application/json'], wrongType = 'bad-request' } = bodies;
  const parse = bodyParser({
    enableTypes: ['text'],
    extendTypes: { text: [...types] },
    // A string would be parsed again for each body.
    textLimit: limit as unknown as string,
    // Bytes, because a decoder would replace invalid UTF-8, which has to be refused.
    encoding: null,
  } as bodyParser.Options);
  const counted = async (body: CountedBody): Promise<Buffer> => {
    const received = new ParserRequest(body);
    try {
      await parse(received as unknown as EdgeContext, nothingNext);
      return received.request.rawBody;
    } catch (error) {
      throw refusalOf(error, limit);
    } finally {
      body.destroy();
    }
  };
  return async ({ req, state: { permit } }) => {
    checkType(req, types, wrongType);
    const compressed = isCompressed(req, wrongType);
    permit.pause();
    const bytes =
      !compressed && isSmall(req, limit)
        ? await smallBody(req)
        : await counted(new CountedBody(req, compressed, permit));
    permit.resume();
    return bytes;
  };
}

/** The parser is the last middleware. */
const nothingNext = (): Promise<void> => DONE;
const DONE = Promise.resolve();

/** Returns the refusal for an error of the parser. */
function refusalOf(error: unknown, limit: number): Refusal {
  if (error instanceof Refusal) return error;
  if ((error as { readonly status?: unknown }).status !== 413) return cutShort(error);
  return new Refusal('too-large', `the body must not exceed ${limit} bytes, inflated`);
}

/** The part of a request that the parser uses. The type is already checked; a second check is slow. */
class ParserRequest {
  readonly request = { is: () => 'text', body: undefined, rawBody: undefined as unknown as Buffer };
  constructor(readonly req: CountedBody) {}
}

function checkType({ headers }: IncomingMessage, types: readonly JsonType[], wrong: RefusalCode): void {
  const said = headers['content-type'];
  const json = jsonTypeOf(said);
  const isOneOf = json !== undefined && types.includes(json.type);
  if (isOneOf && json.isUtf8) return;
  const got = said === undefined ? 'none' : quoted(said);
  throw new Refusal(
    isOneOf ? 'bad-request' : wrong,
    `Content-Type must be ${listed(types)}, in UTF-8 if it says so; it is ${got}`,
  );
}

/** Returns `a, b or c`. */
function listed(types: readonly JsonType[]): string {
  return types.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

function isCompressed({ headers }: IncomingMessage, wrong: RefusalCode): boolean {
  const encoding = headers['content-encoding']?.toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return false;
  if (['gzip', 'deflate', 'x-gzip'].includes(encoding)) return true;
  throw new Refusal(wrong, `Content-Encoding must be gzip, deflate or left out; it is ${quoted(encoding)}`);
}
