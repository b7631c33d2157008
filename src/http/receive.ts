import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { Refusal } from '../errors.js';

/** What is counted of a body while it is received. */
export interface Counted {
  /** So many more bytes are held. Throws what the body is refused with. */
  receive(bytes: number): void;
  /** So many are not held any more. */
  giveBack(bytes: number): void;
}

/**
 * The bytes of a request's body, inflated where it is `compressed` (gzip or deflate), at most `limit`. Each is counted
 * when it arrives, and given back at the end. Rejects with `Refusal`: `too-large`, `unreadable` for what is cut short or
 * not compressed as it says, and what counting throws. What was not read stays in the request.
 */
export function receive(
  req: IncomingMessage,
  { limit, compressed, counted }: { limit: number; compressed: boolean; counted: Counted },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { 'content-length': announced } = req.headers;
    if (!compressed && Number(announced ?? 0) > limit) return reject(tooLarge(limit));
    if (req.destroyed) return reject(cutShort());
    const unzip = compressed ? createUnzip() : undefined;
    const source: Readable = unzip ?? req;
    const chunks: Buffer[] = [];
    let size = 0;

    const settle = (): void => {
      source.off('data', take).off('end', whole).off('error', fail);
      req.off('close', gone).off('error', cut);
      // A failure that comes later is nobody's.
      if (unzip !== undefined) req.unpipe(unzip.on('error', () => undefined));
      unzip?.destroy();
      counted.giveBack(size);
    };
    const fail = (error: unknown): void => {
      settle();
      req.pause();
      reject(error instanceof Refusal ? error : notInflated(error));
    };
    const cut = (error?: unknown): void => fail(cutShort(error));
    const gone = (): void => {
      if (!req.readableEnded) cut();
    };
    const take = (chunk: Buffer): void => {
      if (size + chunk.length > limit) return fail(tooLarge(limit));
      try {
        counted.receive(chunk.length);
      } catch (error) {
        return fail(error);
      }
      size += chunk.length;
      chunks.push(chunk);
    };
    const whole = (): void => {
      settle();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    };

    source.on('data', take).on('end', whole);
    req.on('close', gone).on('error', cut);
    if (unzip !== undefined) req.pipe(unzip.on('error', fail));
  });
}

function tooLarge(limit: number): Refusal {
  return new Refusal('too-large', `the body must not exceed ${limit} bytes, inflated`);
}

function cutShort(cause?: unknown): Refusal {
  return new Refusal('unreadable', 'the body ended before it was whole', { cause });
}

function notInflated(cause: unknown): Refusal {
  return new Refusal('unreadable', 'the body is not what its Content-Encoding says, or is cut short', {
    cause,
  });
}
