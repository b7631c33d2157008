import { setup } from 'xstate';
import { contextIn } from '../../actors/behavior.js';
import type { ActorContext, ActorEvent, ActorKind } from '../../actors/kind.js';
import { decides } from '../../actors/decides.js';
import { type Address, type Listed, NO_RARE, type Stored } from '../../store/port.js';
import { storedTransitions, type StoredTransitions, transitionsOf } from '../state/stored-transitions.js';
import type { Transition } from '../state/subscription-state.js';

/** Kind of the actors that keep the newest transitions of a server, each a part of them. */
export const HISTORY = 'history';

/** Maximum number of transitions of a part: an addition writes one part anew, or several that it fills. */
const PART_LENGTH = 16;
/** Number of parts of a server. The oldest is the next to be replaced: the others have 240 transitions. */
const PARTS = 16;

/** Transitions of a server with successive numbers, at most `PART_LENGTH`. */
export interface HistoryContext extends ActorContext, StoredTransitions {
  /** Number of the newest of these transitions among all of the server, from 1 on; 0: there are none. */
  readonly last: number;
}

/** Transitions of a server with successive numbers, oldest first. */
export interface NumberedTransitions {
  /** Number of the first of them. */
  readonly first: number;
  readonly transitions: readonly Transition[];
}

/** Adds the transitions that are not yet here, all of one part. */
export interface AppendEvent extends ActorEvent, NumberedTransitions {
  readonly type: 'append';
}

/** Removes the transitions up to a number. */
export interface EraseHistoryEvent extends ActorEvent {
  readonly type: 'erase';
  readonly upTo: number;
}

export type HistoryEvent = AppendEvent | EraseHistoryEvent | (ActorEvent & { readonly type: 'wake' });

const historyMachine = setup({
  types: { context: {} as HistoryContext, events: {} as HistoryEvent },
}).createMachine({
  id: HISTORY,
  context: { last: 0, sentences: [], transitions: [], outbox: [], wakeAt: undefined, reply: undefined },
  initial: 'kept',
  states: {
    kept: {
      on: {
        append: { actions: decides(append) },
        erase: [
          { guard: ({ context, event }) => isWithin(context, event), target: 'gone' },
          { actions: decides(erase) },
        ],
      },
    },
    gone: {},
  },
});

/** The kind of the parts of histories. */
export const historyKind: ActorKind = {
  name: HISTORY,
  version: 1,
  machine: historyMachine,
  evictAfter: ['kept'],
  unindexedState: 'kept',
  deletedState: 'gone',
  effects: {},
};

function append(context: HistoryContext, { first, transitions }: AppendEvent): Partial<HistoryContext> {
  const last = first + transitions.length - 1;
  if (last <= context.last) return {};
  // Others were here before, or those in between are lost.
  const replaces = partOf(first) !== partOf(context.last) || first > context.last + 1;
  if (replaces) return { last, ...storedTransitions(transitions) };
  const added = transitions.slice(context.last + 1 - first);
  return { last, ...storedTransitions([...transitionsOf(context), ...added]) };
}

/** True if an event removes all that a part has. */
function isWithin({ last }: HistoryContext, { upTo }: EraseHistoryEvent): boolean {
  return last > 0 && last <= upTo;
}

function erase(context: HistoryContext, { upTo }: EraseHistoryEvent): Partial<HistoryContext> {
  const { last, transitions } = context;
  const removed = Math.min(transitions.length, upTo - (last - transitions.length));
  return removed <= 0 ? {} : storedTransitions(transitionsOf(context).slice(removed));
}

/** Returns the addresses of all parts that a server with so many transitions can have. */
export function allParts(tenant: string, serverId: string, recorded: number): readonly Address[] {
  const parts = Math.min(PARTS, partOf(recorded) + 1);
  return Array.from({ length: parts }, (_, part) => historyAddress(tenant, serverId, part * PART_LENGTH + 1));
}

/** Returns the number of the part that a transition belongs to. */
function partOf(transition: number): number {
  return Math.floor((transition - 1) / PART_LENGTH);
}

/** Returns the address of the part with a transition of a server. */
export function historyAddress(tenant: string, serverId: string, transition: number): Address {
  return { kind: HISTORY, tenant, name: `${serverId}/${partOf(transition) % PARTS}` };
}

/** Returns the addresses of the parts with the newest transitions of a server, of which the newest has the number `last`. */
export function newestParts(
  tenant: string,
  serverId: string,
  last: number,
  count: number,
): readonly Address[] {
  const addresses: Address[] = [];
  const oldest = Math.max(0, partOf(last) - PARTS + 1, partOf(last - count + 1));
  for (let part = oldest; part <= partOf(last); part += 1)
    addresses.push(historyAddress(tenant, serverId, part * PART_LENGTH + 1));
  return addresses;
}

/** Returns a stored part with its transitions up to a number; undefined if all are later ones. */
export function historyUpTo(stored: Listed, recorded: number): Listed | undefined {
  const context = contextIn(stored) as HistoryContext;
  if (context.last <= recorded) return stored;
  const { first, transitions } = keptIn(stored);
  const within = transitions.slice(0, Math.max(0, recorded - first + 1));
  if (within.length === 0) return undefined;
  const change = { last: recorded, ...storedTransitions(within) };
  return { ...stored, frequent: JSON.stringify({ ...context, ...change }), rare: NO_RARE };
}

/** Returns the transitions of a part as stored. */
export function keptIn(stored: Stored): NumberedTransitions {
  const context = contextIn(stored) as HistoryContext;
  return { first: context.last - context.transitions.length + 1, transitions: transitionsOf(context) };
}

/** Returns the transitions by part, in order. */
export function byPart(all: readonly NumberedTransitions[]): readonly NumberedTransitions[] {
  const parts: { first: number; transitions: Transition[] }[] = [];
  let next = 0;
  for (const { first, transitions } of all) {
    for (const [i, transition] of transitions.entries()) {
      const number = first + i;
      const open = parts.at(-1);
      if (open === undefined || number !== next || partOf(number) !== partOf(open.first))
        parts.push({ first: number, transitions: [transition] });
      else open.transitions.push(transition);
      next = number + 1;
    }
  }
  return parts;
}
