import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Area, errorsAt } from './areas.js';
import type { Failure } from './failures/failure.js';
import { presentable } from '../untrusted/text.js';

/** A whole answer to a request that was not carried out. */
export interface Answer {
  readonly status: number;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes a failure down in the error shape of the path's area. */
export function answerOf(failure: Failure, areas: readonly Area[], path: string): Answer {
  const { status } = failure;
  const title = STATUS_CODES[status] ?? 'Error';
  const shown = { ...failure, title, message: presentable(failure.message) };
  const { headers: shaped, body } = errorsAt(areas, path).render(shown);
  const headers = {
    ...failure.headers,
    ...shaped,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  return { status, title, headers, body };
}

/** Makes a response that has not begun the answer's: what else was prepared is dropped, its X-Request-Id kept. */
export function prepare(res: ServerResponse, answer: Answer): void {
  for (const name of res.getHeaderNames()) if (name !== 'x-request-id') res.removeHeader(name);
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value);
  res.statusCode = answer.status;
  res.statusMessage = answer.title;
}

/** Answers where node made no response of its own, and ends the connection. */
export function writeRaw(socket: Duplex, answer: Answer, requestId: string): void {
  const headers = { 'X-Request-Id': requestId, ...answer.headers, Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${answer.status} ${answer.title}`, ...lines, '', answer.body].join('\r\n'));
}
