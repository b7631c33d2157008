import { setup } from 'xstate';
import type { ActorContext, ActorEvent, ActorKind } from '../../actors/kind.js';
import { decides } from '../../actors/decides.js';
import type { Address } from '../../store/port.js';
import type { RecordEffect } from '../server/server-context.js';
import type { Transition } from '../watch/watch.js';

/** Kind of the actors that keep the newest transitions of one server each. */
export const HISTORY = 'history';

/** Maximum number of transitions in the text that each addition writes. */
const RECENT_LIMIT = 20;
/** Maximum number of transitions in the text that few additions write. */
const OLDER_LIMIT = 200;

/** The newest transitions of a server: all of `older`, then all of `recent`. */
export interface HistoryContext extends ActorContext {
  /** Number of the newest transition among all of the server. */
  readonly count: number;
  /** Oldest first. */
  readonly recent: readonly Transition[];
  /** Oldest first. */
  readonly older: readonly Transition[];
}

/** Adds the transitions that are not yet here. `entries` are in the order of their numbers. */
export interface AppendEvent extends ActorEvent {
  readonly type: 'append';
  readonly entries: readonly Pick<RecordEffect, 'first' | 'transitions'>[];
}

export type HistoryEvent = AppendEvent | (ActorEvent & { readonly type: 'wake' });

/** Returns the address of the history of a server. */
export function historyAddress(tenant: string, serverId: string): Address {
  return { kind: HISTORY, tenant, name: serverId };
}

/** The kind of the histories, each named as its server. */
export const historyKind: ActorKind = {
  name: HISTORY,
  version: 1,
  machine: historyMachine(),
  rarelyWritten: ['older'],
  unindexedState: 'kept',
  effects: {},
};

function historyMachine() {
  return setup({
    types: { context: {} as HistoryContext, events: {} as HistoryEvent },
  }).createMachine({
    id: HISTORY,
    context: { count: 0, recent: [], older: [], outbox: [], wakeAt: undefined, reply: undefined },
    initial: 'kept',
    states: { kept: { on: { append: { actions: decides(append) } } } },
  });
}

function append(context: HistoryContext, { entries }: AppendEvent): Partial<HistoryContext> {
  const { count, added } = newIn(entries, context.count);
  if (added.length === 0) return {};
  const { recent, older } = context;
  if (recent.length + added.length <= RECENT_LIMIT) return { count, recent: [...recent, ...added] };
  // All at once: the text of `older` is written once for many additions.
  const moved = [...older, ...recent, ...added.slice(0, -RECENT_LIMIT)];
  return { count, recent: added.slice(-RECENT_LIMIT), older: moved.slice(-OLDER_LIMIT) };
}

/** Returns the transitions with numbers above `count`, and the highest number. */
export function newIn(
  entries: AppendEvent['entries'],
  count: number,
): { readonly count: number; readonly added: readonly Transition[] } {
  const added: Transition[] = [];
  let highest = count;
  for (const { first, transitions } of entries) {
    for (const [i, transition] of transitions.entries()) {
      if (first + i <= highest) continue;
      highest = first + i;
      added.push(transition);
    }
  }
  return { count: highest, added };
}
