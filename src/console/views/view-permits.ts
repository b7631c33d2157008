import { Refusal } from '../../errors.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { ClientQueue } from '../../untrusted/client-queue.js';

/** Views that are read at the same time. One holds a few megabytes of documents while it is read. */
const AT_ONCE = 4;
/** Maximum number of views that wait for a permit. A tenant may have as many as are free. */
const MAX_WAITING = 1_000;

/** A view that waits for a permit. */
interface Waiting {
  readonly client: string;
  readonly bytes: 1;
  readonly begin: () => void;
}

/**
 * Gives permits to views that read many documents: few are read at the same time, and tenants get permits in turn. A tenant that
 * asks for many delays only itself. Follows `viewer`. Throws `Refusal('unavailable')` if too many wait.
 */
export function viewPermits(atOnce = AT_ONCE, maxWaiting = MAX_WAITING): EdgeMiddleware {
  const queue = new ClientQueue<Waiting>(maxWaiting);
  let reading = 0;

  const acquire = (ctx: EdgeContext): Promise<void> | undefined => {
    if (reading < atOnce) {
      reading += 1;
      return undefined;
    }
    return new Promise((begin, refuse) => {
      if (queue.add({ client: partyOf(ctx), bytes: 1, begin })) return;
      refuse(
        new Refusal('unavailable', 'too many views of the console wait to be read; try again in a second'),
      );
    });
  };

  const release = (): void => {
    const next = queue.take();
    // The permit goes to the next view.
    if (next === undefined) reading -= 1;
    else next.begin();
  };

  return async (ctx, next) => {
    await acquire(ctx);
    try {
      // The client of a view that waited may be gone.
      if (!ctx.res.closed) await next();
    } finally {
      release();
    }
  };
}

function partyOf({ state: { viewer, client } }: EdgeContext): string {
  return viewer.kind === 'tenant' ? `tenant ${viewer.tenantId}` : `operator ${client}`;
}
