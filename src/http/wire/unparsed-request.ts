import type { IncomingHttpHeaders, Server } from 'node:http';
import { Refusal } from '../../errors.js';
import { ProtocolFault } from '../failures/failure.js';
import { originForm, requestIdOf, withoutQuery } from '../request-head.js';

/** The known parts of a request that node could not parse. Method and path are empty if unknown. */
export type UnparsedRequest = ReturnType<typeof unparsedRequest>;

/** An error of node's HTTP parser, of its timeouts, or of the connection. */
export interface ClientError extends Error {
  readonly code?: string;
  /** In the words of the parser, never the client's. */
  readonly reason?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const FIRST_LINE = /^(?<method>[!#$%&'*+.^_`|~0-9A-Za-z-]+) (?<target>\S+) HTTP\/1\.[01]\r?\n/;
const REQUEST_ID = /\r?\nx-request-id:[ \t]*(?<value>\S*)[ \t]*\r?\n/i;
const HEADER = /\n([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n]*)/g;

/**
 * Reads what it can of the packet at which node's parser failed after `parsed` bytes. An earlier request of the same
 * connection may be in the same packet.
 */
export function unparsedRequest({ rawPacket, bytesParsed: parsed = 0 }: ClientError) {
  const all = rawPacket?.toString('latin1') ?? '';
  const text = all.slice(parsed === 0 ? 0 : all.lastIndexOf('\n', parsed - 1) + 1);
  const { method = '', target = '' } = FIRST_LINE.exec(text)?.groups ?? {};
  return {
    requestId: requestIdOf(REQUEST_ID.exec(text)?.groups?.['value']),
    method,
    /** Percent-encoded, without query. */
    path: withoutQuery(originForm(target)),
    headers: headersIn(text),
  };
}

/** Returns the headers of a text that begins with a request's first line; the first of each name. */
function headersIn(text: string): IncomingHttpHeaders {
  const headers = new Map<string, string>();
  for (const [, name = '', value = ''] of text.split('\r\n\r\n', 1)[0]!.matchAll(HEADER)) {
    if (!headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value.trim());
  }
  return Object.fromEntries(headers);
}

/** Returns the error to answer with. undefined if the connection is lost. */
export function faultOf(
  { code = '', reason = 'parse error' }: ClientError,
  server: Server,
): Refusal | ProtocolFault | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const { headersTimeout, requestTimeout } = server;
    const allowed = `its headers within ${headersTimeout / 1000} s, all of it within ${requestTimeout / 1000} s`;
    return new Refusal('timeout', `the request did not arrive in time: ${allowed}`);
  }
  if (code === 'HPE_HEADER_OVERFLOW') return new ProtocolFault(431, 'the headers must not exceed 16 KiB');
  return code.startsWith('HPE_') ? new Refusal('bad-request', `no valid HTTP/1.1: ${reason}`) : undefined;
}

/** Returns true if the only fault is a method that node does not know, or knows from another protocol. */
export function isMethodUnknown({ code }: ClientError, { method }: UnparsedRequest): boolean {
  return method !== '' && (code === 'HPE_INVALID_METHOD' || code === 'HPE_INVALID_CONSTANT');
}
