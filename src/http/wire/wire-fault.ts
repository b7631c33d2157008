import type { Server } from 'node:http';
import { Refusal } from '../../errors.js';
import { ProtocolFault } from '../failures/failure.js';
import type { Stub } from './wire-text.js';

/** An error of node's HTTP parser, of its clock, or of the connection. */
export interface ClientError extends Error {
  readonly code?: string;
  /** In the parser's words, never the client's. */
  readonly reason?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** What a client is told; undefined where there is nobody left to tell. */
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

/** The request was in order but for a method that node does not know, or knows from another protocol. */
export function isMethodUnknown({ code }: ClientError, stub: Stub): boolean {
  return stub.method !== '' && (code === 'HPE_INVALID_METHOD' || code === 'HPE_INVALID_CONSTANT');
}
