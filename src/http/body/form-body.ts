import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../errors.js';
import { quoted } from '../../untrusted/text.js';
import type { EdgeContext } from '../context.js';
import { CountedBody } from './counted-body.js';
import { multipartFields } from './multipart.js';

/** Reads the fields of a form; see `formBody`. */
export type ReadForm = (ctx: EdgeContext) => Promise<ReadonlyMap<string, string>>;

const URLENCODED = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;
const MULTIPART =
  /^multipart\/form-data[ \t]*;(?:.*;)?[ \t]*boundary=(?:"(?<text>[^"]{1,70})"|(?<token>[^\s;"]{1,70}))/i;

/**
 * Makes the reader of forms, in both encodings that browsers and mail services use. Fields are texts by name; of several
 * with one name the last counts, files are ignored. `limit` is in bytes. The request has no permit while its body arrives.
 * The reader throws `Refusal`: `bad-request` for another Content-Type and any Content-Encoding, `too-large`, and
 * `unreadable` for an incomplete or broken form.
 */
export function formBody(limit: number): ReadForm {
  return async ({ req, state: { permit } }) => {
    const parse = parserOf(req);
    permit.pause();
    const bytes = await bytesOf(new CountedBody(req, false, permit), limit);
    permit.resume();
    return parse(bytes.toString());
  };
}

function parserOf({ headers }: IncomingMessage): (text: string) => ReadonlyMap<string, string> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  if (encoding.toLowerCase() !== 'identity') {
    throw new Refusal('bad-request', `Content-Encoding must be left out; it is ${quoted(encoding)}`);
  }
  if (URLENCODED.test(type)) return (text) => new Map(new URLSearchParams(text));
  const { text, token } = MULTIPART.exec(type)?.groups ?? {};
  const boundary = text ?? token;
  if (boundary !== undefined) return (body) => multipartFields(body, boundary);
  throw new Refusal(
    'bad-request',
    'Content-Type must be application/x-www-form-urlencoded or multipart/form-data with its boundary; it is ' +
      (type === '' ? 'none' : quoted(type)),
  );
}

async function bytesOf(body: CountedBody, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the stream.
    if (size > limit) throw new Refusal('too-large', `the body must not exceed ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
