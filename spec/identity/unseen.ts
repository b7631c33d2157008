import { setImmediate as turn } from 'node:timers/promises';

/**
 * Returns the reasons of unhandled rejections during `work`. Each would end the process; mocha does not report them.
 */
export async function unseenRejections(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const unseen = new Set<unknown>();
  const note = (reason: unknown): void => void unseen.add(reason);
  process.on('unhandledRejection', note);
  try {
    await work();
    // Reported at the end of a turn of the event loop.
    await turn();
  } finally {
    process.off('unhandledRejection', note);
  }
  return [...unseen];
}
