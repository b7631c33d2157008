import { Refusal } from '../../errors.js';

const DISPOSITION = /^content-disposition:[ \t]*form-data[ \t]*(?<parameters>;.*)$/im;
const NAME = /;[ \t]*name="(?<name>[^"]*)"/i;
const FILE = /;[ \t]*filename\*?=/i;

/**
 * Reads the fields of a short `multipart/form-data` (RFC 7578). Files are left out; of several fields with one name the last
 * counts. Throws `Refusal('unreadable')` for a text that is no such form, or is cut short.
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
