import { EventEmitter, once } from 'node:events';
import type { EdgeMiddleware } from '../../../src/http/context.js';

/** Requests held in the service until their release, and their number. */
export function holding() {
  const events = new EventEmitter().setMaxListeners(0);
  let inside = 0;
  const stay: EdgeMiddleware = async (ctx) => {
    inside += 1;
    try {
      await once(events, 'go');
    } finally {
      inside -= 1;
    }
    ctx.body = {};
  };
  return { stay, inside: () => inside, go: () => events.emit('go') };
}
