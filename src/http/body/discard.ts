import type { IncomingMessage } from 'node:http';

/** Bytes that are read only to be thrown away: more than any body that is taken, so only the abusive reach it. */
const MOST_DISCARDED = 32 * 1024 ** 2;

/**
 * Reads what is left of a request's body and keeps nothing of it, so that a client that is still sending gets to read
 * its answer. Resolves to true at the end, false when there was too much of it or the client went away.
 */
export function discardRest(req: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let discarded = 0;
    const done = (): void => {
      req.off('data', count);
      resolve(req.complete);
    };
    function count(chunk: Buffer): void {
      discarded += chunk.length;
      if (discarded > MOST_DISCARDED) done();
    }
    req.once('end', done).once('close', done).on('data', count);
    req.unpipe();
    req.resume();
  });
}
