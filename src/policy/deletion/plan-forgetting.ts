import { setTimeout as pause } from 'node:timers/promises';
import { ifReadable } from '../../actors/reading.js';
import type { Actors } from '../../actors/kind.js';
import { pages } from '../../store/paging.js';
import { addressOf, type Outline, type Store } from '../../store/port.js';
import type { ServerEvent } from '../server/server-context.js';
import { SERVER } from '../server/server-kind.js';
import type { ServerState } from '../server/server-machine.js';

/** Outlines read at once: as many servers plan at the same time. */
const PAGE = 100;
/** Pause before all servers are read again if the store did not answer, ms. */
const AGAIN_MS = 60_000;

const IDLE: ServerState = 'unwatched';

/**
 * Has the idle servers plan when they are forgotten, once after the start: those that became idle under another setting have no
 * plan, or a later one. Requests have half of the time of the event loop meanwhile.
 */
export function planForgettingOfAll(options: {
  readonly store: Pick<Store, 'outline'>;
  readonly actors: Pick<Actors, 'ask'>;
  /** See `ServerSettings`; not 0. */
  readonly forgetMs: number;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Called if the store did not answer. */
  readonly onError: (error: unknown) => void;
}) {
  const { store, actors, forgetMs, now, onError } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const isUnplanned = ({ wakeAt }: Outline): boolean => wakeAt === undefined || wakeAt > now() + forgetMs;

  const planAll = async (): Promise<void> => {
    const query = { kind: SERVER, state: IDLE, limit: PAGE };
    let begun = performance.now();
    for await (const page of pages((after) => store.outline({ ...query, after }))) {
      const unplanned = page.filter(isUnplanned);
      const event: ServerEvent = { type: 'planForgetting', now: now() };
      await Promise.all(unplanned.map(({ id }) => ifReadable(actors.ask(addressOf(id), event))));
      if (signal.aborted) return;
      if (unplanned.length > 0) await pause(performance.now() - begun, undefined, { signal });
      begun = performance.now();
    }
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await planAll();
      } catch (error) {
        if (signal.aborted) return;
        onError(error);
        await pause(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  };

  const running = run();
  return {
    async close(): Promise<void> {
      stopped.abort();
      await running;
    },
  };
}
