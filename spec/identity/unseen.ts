import { setImmediate as turn } from 'node:timers/promises';

/**
 * What promises of this work were rejected with that nobody looked at: each would end the process, but that mocha says
 * nothing of them.
 */
export async function unseenRejections(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const unseen = new Set<unknown>();
  const note = (reason: unknown): void => void unseen.add(reason);
  process.on('unhandledRejection', note);
  try {
    await work();
    // They are told of at the end of a turn of the event loop.
    await turn();
  } finally {
    process.off('unhandledRejection', note);
  }
  return [...unseen];
}
