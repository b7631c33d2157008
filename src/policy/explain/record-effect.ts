import type { EffectRun } from '../../actors/kind.js';
import type { RecordEffect, ServerContext, ServerEvent } from '../server/server-context.js';
import { transitionsOf } from '../state/stored-transitions.js';
import { type AppendEvent, byPart, historyAddress, type NumberedTransitions } from './history-machine.js';

/** Returns the transitions that wait in the outbox of a server, oldest first. */
export function waitingIn({ outbox }: Pick<ServerContext, 'outbox'>): readonly NumberedTransitions[] {
  return recordsIn(outbox).map((entry) => ({ first: entry.first, transitions: transitionsOf(entry) }));
}

function recordsIn(outbox: ServerContext['outbox']): readonly RecordEffect[] {
  return outbox.filter((entry) => entry.type === 'record');
}

/**
 * Makes the effect that appends transitions to the history of their server. The newest entry of the outbox dispatches all of
 * them, in order, and reports all of them: the history knows by their numbers what it already has.
 */
export function recordEffect(now: () => number) {
  return async (
    { id }: RecordEffect,
    context: ServerContext,
    { address: { tenant, name }, actors }: EffectRun,
  ): Promise<ServerEvent | undefined> => {
    const entries = recordsIn(context.outbox);
    if (entries.at(-1)?.id !== id) return undefined;
    await Promise.all(
      byPart(waitingIn(context)).map((part) => {
        const event: AppendEvent = { type: 'append', now: now(), ...part };
        return actors.ask(historyAddress(tenant, name, part.first), event);
      }),
    );
    return { type: 'dispatched', now: now(), entryIds: entries.map((entry) => entry.id) };
  };
}
