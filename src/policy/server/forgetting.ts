import type { ActorEvent } from '../../actors/kind.js';
import { notAhead } from '../../actors/clock-set-back.js';
import { lastArrival } from '../windows/window.js';
import { isKnown } from './broker-intents.js';
import { earliest } from './broker-leases.js';
import { forgotten } from './erasing.js';
import type { Change, EventOf, ServerContext } from './server-context.js';
import type { ServerSettings } from './take-facts.js';
import { wake } from './wake.js';

// A server without subscription and own rule is idle. It plans a wake-up for the time at which it would be forgotten if no fact
// came. A fact plans nothing: a server that wakes up too early plans again.

type Settings = Pick<ServerSettings, 'forgetMs'>;

/** Returns a decision that also plans when the server is forgotten, if the server becomes idle or plans anew. */
export function planning<E extends ActorEvent>(
  decide: (context: ServerContext, event: E) => Change,
  settings: Settings,
) {
  return (context: ServerContext, event: E): Change => {
    const change = decide(context, event);
    const isOther = 'wakeAt' in change || 'subscriptions' in change || 'rules' in change;
    if (!isOther && context.factId !== 0) return change;
    return { ...change, ...planned({ ...context, ...change }, event.now, settings, isIdle(context)) };
  };
}

/** Plans when an idle server is forgotten. A node asks servers that have no plan, or one of another setting. */
export function planForgetting(
  context: ServerContext,
  { now }: EventOf<'planForgetting'>,
  settings: Settings,
): Change {
  return planned(context, now, settings, true);
}

/** As `wake`. Deletes a server that was idle for long enough. */
export function wakeOrForget(context: ServerContext, event: EventOf<'wake'>, settings: Settings): Change {
  const { now } = event;
  if (isIdle(context) && isKnown(context)) {
    const due = forgottenAt(context, settings);
    if (due !== undefined && due <= now) return { ...forgotten(context, now, true), reply: undefined };
  }
  const change = wake(context, event);
  return { ...change, ...planned({ ...context, ...change }, now, settings, true) };
}

/** `wasIdle`: the server had no subscription and no own rule before. */
function planned(
  context: ServerContext,
  now: number,
  settings: Settings,
  wasIdle: boolean,
): Pick<Change, 'idleSince' | 'wakeAt'> {
  if (!isIdle(context)) return context.idleSince === undefined ? {} : { idleSince: undefined };
  const before = context.idleSince && notAhead(context.idleSince, now);
  const idleSince = wasIdle ? before : now;
  const since = idleSince === context.idleSince ? {} : { idleSince };
  const due = forgottenAt({ ...context, idleSince }, settings);
  return due === undefined ? since : { ...since, wakeAt: earliest([context.wakeAt, due]) };
}

/** Returns when an idle server is forgotten if no fact comes, ms since the epoch; undefined: never, or nothing is known of it. */
function forgottenAt(
  { idleSince = 0, windows }: Pick<ServerContext, 'idleSince' | 'windows'>,
  { forgetMs }: Settings,
): number | undefined {
  const since = Math.max(idleSince, lastArrival(windows));
  return forgetMs === 0 || since === 0 ? undefined : since + forgetMs;
}

function isIdle({ subscriptions, rules }: Pick<ServerContext, 'subscriptions' | 'rules'>): boolean {
  return subscriptions.length === 0 && rules.length === 0;
}
