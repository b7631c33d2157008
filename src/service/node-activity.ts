import { randomBytes } from 'node:crypto';
import { createActivity } from '../operator/activity.js';
import { createEventStream } from '../operator/event-stream.js';
import type { SharedParts } from './shared-parts.js';

/** Creates the observer of this node and its stream of events. The ids of events tell this process from all others. */
export function nodeActivity(now: () => number): Pick<SharedParts, 'activity' | 'events'> {
  const node = now().toString(36) + randomBytes(3).toString('hex');
  const events = createEventStream({ node, now });
  return { events, activity: createActivity({ stream: events, now }) };
}
