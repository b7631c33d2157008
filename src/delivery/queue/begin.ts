import type { Dispatcher } from './dispatcher.js';

/**
 * Has a delivery begin: at once if it gets a permit, else in its queue. `ask` sends the event that begins it; its `until` is
 * undefined with a permit, else the time from which the delivery waits for one, ms since the epoch.
 */
export async function begin<R>(
  dispatcher: Pick<Dispatcher, 'reserve' | 'release' | 'expect'>,
  now: () => number,
  { id, queue }: { readonly id: string; readonly queue: string },
  ask: (until: number | undefined) => Promise<R>,
): Promise<R> {
  if (dispatcher.reserve(id, queue)) return ask(undefined).finally(() => dispatcher.release(id));
  const until = now();
  const reply = await ask(until);
  dispatcher.expect(queue, until);
  return reply;
}
