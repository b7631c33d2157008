import { Readable } from 'node:stream';
import type { EdgeMiddleware } from './context.js';

/**
 * Holds an answer that is streamed back until its first bytes are there: what fails before is then answered as any
 * other failure, where a begun answer could only be torn. Live streams may have nothing to say for long, and are let go.
 */
export const firstBytes: EdgeMiddleware = (ctx, next) =>
  next().then(() =>
    ctx.body instanceof Readable && ctx.type !== 'text/event-stream' ? begun(ctx.body) : undefined,
  );

function begun(stream: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.errored !== null) return reject(stream.errored);
    if (stream.readableLength > 0 || stream.readableEnded || stream.destroyed) return resolve();
    const settle = (): void => {
      stream.off('readable', settle).off('close', settle).off('error', reject);
      resolve();
    };
    stream.once('readable', settle).once('close', settle).once('error', reject);
  });
}
