import { Readable } from 'node:stream';
import type { EdgeContext } from '../context.js';

/**
 * Holds an answer that is streamed back until its first bytes are there: what fails before is then answered as any
 * other failure, where a begun answer could only be torn. Live streams, which may have nothing to say for long, call
 * `ctx.flushHeaders()` and are not held. undefined where there is nothing to wait for.
 */
export function firstBytes(ctx: EdgeContext): Promise<void> | undefined {
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
