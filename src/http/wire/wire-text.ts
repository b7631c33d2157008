import type { IncomingHttpHeaders } from 'node:http';
import { originForm, withoutQuery } from '../target.js';
import { requestIdOf } from '../request-id.js';

/** What can be known of a request that node gave up; method and path are empty where there is no telling. */
export interface Stub {
  readonly requestId: string;
  readonly method: string;
  /** Percent-encoded, without query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

const firstLine = /^(?<method>[!#$%&'*+.^_`|~0-9A-Za-z-]+) (?<target>\S+) HTTP\/1\.[01]\r?\n/;
const requestId = /\r?\nx-request-id:[ \t]*(?<value>\S*)[ \t]*\r?\n/i;
const header = /\n([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n]*)/g;

/**
 * What the bytes tell that node's parser stumbled in. It understood `parsed` of them; a request before this one on the
 * same connection may have come in the same packet.
 */
export function stubIn(packet: Buffer, parsed: number): Stub {
  const all = packet.toString('latin1');
  const text = all.slice(parsed === 0 ? 0 : all.lastIndexOf('\n', parsed - 1) + 1);
  const { method = '', target = '' } = firstLine.exec(text)?.groups ?? {};
  return {
    requestId: requestIdOf(requestId.exec(text)?.groups?.['value']),
    method,
    path: withoutQuery(originForm(target)),
    headers: headersIn(text),
  };
}

/** The headers of a text that begins with a request's first line, the first of each name. */
function headersIn(text: string): IncomingHttpHeaders {
  const headers = new Map<string, string>();
  for (const [, name = '', value = ''] of text.split('\r\n\r\n', 1)[0]!.matchAll(header)) {
    if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value.trim());
  }
  return Object.fromEntries(headers);
}
