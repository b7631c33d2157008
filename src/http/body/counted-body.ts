import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { Refusal } from '../../errors.js';

/** Counts the bytes of a body while it arrives. */
export interface ByteCount {
  /** Counts received bytes. Throws the refusal of the body, and counts nothing then. */
  receive(bytes: number): void;
  /** Counts bytes that are no longer in memory. */
  release(bytes: number): void;
}

/**
 * The body of a request as a stream, inflated if it is `compressed` (gzip or deflate). Each byte counts from its arrival
 * until the stream closes. The stream fails with the error of the count, and with `Refusal('unreadable')` for an
 * incomplete body or a wrong compression. A destroyed stream leaves the request open, with its unread bytes, so that it
 * can be answered.
 */
export class CountedBody extends Transform {
  /** The Content-Length of an uncompressed body; 0 if it is unknown. */
  readonly announced: number;
  private held = 0;
  private readonly detach: () => void;

  constructor(
    req: IncomingMessage,
    compressed: boolean,
    private readonly count: ByteCount,
  ) {
    super();
    this.announced = compressed ? 0 : Number(req.headers['content-length'] ?? 0);
    const fail = (cause?: unknown): void => void this.destroy(cutShort(cause));
    const closed = (): void => {
      if (!req.readableEnded) fail();
    };
    const unzip = compressed ? createUnzip() : undefined;
    req.on('error', fail).on('close', closed);
    if (unzip === undefined) req.pipe(this);
    else req.pipe(unzip.on('error', (cause: Error) => this.destroy(notInflated(cause)))).pipe(this);
    this.detach = () => {
      req.off('error', fail).off('close', closed);
      if (!req.readableEnded) req.unpipe().pause();
      unzip?.destroy();
    };
    if (req.destroyed) fail();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.count.receive(chunk.length);
    } catch (error) {
      done(error as Error);
      return;
    }
    this.held += chunk.length;
    done(null, chunk);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.count.release(this.held);
    this.detach();
    done(error);
  }
}

/** Returns the refusal of a body that is too long. `measured` ends the message: `, inflated`. */
export function bodyTooLong(limit: number, measured = ''): Refusal {
  return new Refusal('too-large', `the body must not exceed ${limit} bytes${measured}`);
}

/**
 * Reads a body whole, and destroys its stream. Rejects with `Refusal('too-large')` beyond `limit` bytes, at once if the
 * Content-Length is larger. `measured` ends the message: `, inflated`.
 */
export async function readCounted(body: CountedBody, limit: number, measured = ''): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (body.announced > limit) throw bodyTooLong(limit, measured);
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw bodyTooLong(limit, measured);
      chunks.push(chunk);
    }
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks, size);
}

/** Returns the refusal of an incomplete body. */
export function cutShort(cause?: unknown): Refusal {
  return new Refusal('unreadable', 'the body ended before it was whole', { cause });
}

function notInflated(cause: unknown): Refusal {
  return new Refusal('unreadable', 'the body is not what its Content-Encoding says, or is cut short', {
    cause,
  });
}
