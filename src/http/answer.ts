import { pipeline, Readable } from 'node:stream';
import type { EdgeContext } from './context.js';

/** The Content-Type of JSON, as Koa has it. */
const JSON_TYPE = 'application/json; charset=utf-8';

/** Statuses whose answers have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Answers 200 with a value as JSON, as `ctx.body = value` does, for routes that are called thousands of times a second: Koa
 * first compares the value with everything that a body may be, and computes its Content-Type.
 */
export function answerJson({ res, state }: EdgeContext, value: object): void {
  res.statusCode = 200;
  res.setHeader('Content-Type', JSON_TYPE);
  state.json = value;
}

/**
 * Sends what the handlers left in `ctx.body`, or gave to `answerJson`: a stream, a text, bytes, or a value as JSON. Koa's own
 * function for this adds listeners to the response and the connection of every request. `onBroken` is called if a stream
 * fails.
 */
export function sendAnswer(ctx: EdgeContext, onBroken: (error: Error) => void): void {
  const { req, res } = ctx;
  if (!ctx.writable) return void res.end();
  if (EMPTY.has(res.statusCode)) {
    // Removes the headers of a body.
    ctx.body = null;
    return void res.end();
  }
  const body: unknown = ctx.state.json ?? ctx.body;
  if (body instanceof Readable && req.method !== 'HEAD')
    return void pipeline(body, res, (error) => error && onBroken(error));
  if (!(body instanceof Readable)) {
    const content = contentOf(body);
    if (!res.headersSent) res.setHeader('Content-Length', Buffer.byteLength(content));
    if (req.method !== 'HEAD') return void res.end(content);
  }
  res.end();
}

function contentOf(body: unknown): string | Buffer {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return body === undefined || body === null ? '' : JSON.stringify(body);
}

/**
 * Waits for the first bytes of a streamed answer: an earlier failure gets a regular error answer, while an answer that
 * has begun can only be broken off. A live stream, which may be silent for long, calls `ctx.flushHeaders()` to skip the
 * wait. Returns undefined if there is nothing to wait for.
 */
export function whenBegun(ctx: EdgeContext): Promise<void> | undefined {
  return ctx.body instanceof Readable && !ctx.headerSent ? begun(ctx.body) : undefined;
}

function begun(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.closed) return resolve();
    const settle = (): void => {
      stream.off('readable', settle).off('close', settle).off('error', reject);
      resolve();
    };
    stream.once('readable', settle).once('close', settle).once('error', reject);
  });
}
