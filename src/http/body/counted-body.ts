import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { createUnzip } from 'node:zlib';
import { Refusal } from '../../errors.js';

/** Counts the bytes of a body while it is received. */
export interface ByteCount {
  /** So many more bytes are held. Throws what the body is refused with; nothing is counted then. */
  receive(bytes: number): void;
  /** So many are not held any more. */
  giveBack(bytes: number): void;
}

/**
 * The body of a request as a stream of its own, inflated where it is `compressed` (gzip or deflate). Each byte counts
 * when it arrives, until the stream is closed. The stream fails with what counting throws, and with
 * `Refusal('unreadable')` for a body that is cut short or is not compressed as it says. To destroy the stream leaves the
 * request open, so that it can be answered; what was not read stays in it.
 */
export class CountedBody extends Transform {
  /** The parser compares the length of an uncompressed body with them. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  private held = 0;
  private readonly leave: () => void;

  constructor(
    req: IncomingMessage,
    compressed: boolean,
    private readonly count: ByteCount,
  ) {
    super();
    this.headers = compressed ? {} : { 'content-length': req.headers['content-length'] };
    const fail = (cause?: unknown): void => void this.destroy(cutShort(cause));
    const gone = (): void => {
      if (!req.readableEnded) fail();
    };
    const unzip = compressed ? createUnzip() : undefined;
    req.on('error', fail).on('close', gone);
    if (unzip === undefined) req.pipe(this);
    else req.pipe(unzip.on('error', (cause: Error) => this.destroy(notInflated(cause)))).pipe(this);
    this.leave = () => {
      req.off('error', fail).off('close', gone);
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
    this.count.giveBack(this.held);
    this.leave();
    done(error);
  }
}

/** The refusal for a body that ended too early. */
export function cutShort(cause?: unknown): Refusal {
  return new Refusal('unreadable', 'the body ended before it was whole', { cause });
}

function notInflated(cause: unknown): Refusal {
  return new Refusal('unreadable', 'the body is not what its Content-Encoding says, or is cut short', {
    cause,
  });
}
