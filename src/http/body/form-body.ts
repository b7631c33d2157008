import type { IncomingMessage } from 'node:http';
import { Refusal } from '../../errors.js';
import { quoted } from '../../untrusted/text.js';
import type { EdgeContext } from '../context.js';
import { CountedBody, readCounted } from './counted-body.js';

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
    const bytes = await readCounted(new CountedBody(req, false, permit), limit);
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

const DISPOSITION = /^content-disposition:[ \t]*form-data[ \t]*(?<parameters>;.*)$/im;
const NAME = /;[ \t]*name="(?<name>[^"]*)"/i;
const FILE = /;[ \t]*filename\*?=/i;

/**
 * Reads the fields of a short `multipart/form-data` (RFC 7578). Files are left out; of several fields with one name the last
 * counts. Throws `Refusal('unreadable')` for another text, and for one that is cut short.
 */
export function multipartFields(text: string, boundary: string): ReadonlyMap<string, string> {
  const [, ...parts] = `\r\n${text}`.split(`\r\n--${boundary}`);
  const rest = parts.pop();
  if (rest === undefined || !/^--[ \t]*(?:\r\n|$)/.test(rest)) throw broken();
  const fields = new Map<string, string>();
  for (const part of parts) {
    const end = part.indexOf('\r\n\r\n');
    const { parameters = '' } = DISPOSITION.exec(part.slice(0, end))?.groups ?? {};
    const name = NAME.exec(parameters)?.groups?.['name'];
    if (end === -1 || name === undefined) throw broken();
    if (!FILE.test(parameters)) fields.set(name, part.slice(end + 4));
  }
  return fields;
}

function broken(): Refusal {
  return new Refusal('unreadable', 'the body is no form of its Content-Type, or is cut short');
}
