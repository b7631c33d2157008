import { Refusal } from '../../errors.js';
import type { IntendEffect, RetractEffect, ServerContext, ServerEvent } from '../server/server-context.js';
import { remembering, without } from '../server/server-outbox.js';

/**
 * Before the broker is asked for a subscription, the server commits that it will be: an `intend` entry with a mark that
 * the broker's subscription bears. The commit that binds the subscription removes it. One that is left over, since its
 * process died or the broker did not answer, becomes a `retract` entry: from then on nothing can bind it, and what the
 * broker has under the mark is ended.
 */
type Of<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;
type Change = Partial<ServerContext>;

/** How long a broker may take to carry out what it was asked for, ms: for so long the mark is looked for. */
const LATE_MS = 60_000;

/** The intent with a mark, unless it was given up. */
export function intentOf(context: ServerContext, mark: string): IntendEffect | undefined {
  return context.outbox.find(
    (entry): entry is IntendEffect => entry.type === 'intend' && entry.mark === mark,
  );
}

/** The refusal for a subscription that the broker granted after its intent was given up. */
export function tooLate(): Refusal {
  return new Refusal('unavailable', 'the context broker took too long; nothing was done', { retryAfterS: 5 });
}

/** An intent of which nothing is at the broker. */
export function abandon(context: ServerContext, { mark }: Of<'abandon'>): Change {
  const intent = intentOf(context, mark);
  return intent === undefined ? {} : { outbox: without(context.outbox, intent.id) };
}

/** An intent that nobody follows any more: what is at the broker under its mark has to be ended. */
export function settle(context: ServerContext, { mark }: Of<'settle'>): Change {
  const intent = intentOf(context, mark);
  if (intent === undefined) return {};
  const retract: RetractEffect = { ...intent, id: `retract:${mark}`, type: 'retract' };
  return { outbox: [...without(context.outbox, intent.id), retract] };
}

/** What was at the broker under a mark is ended. Where there was nothing, it may still come. */
export function retracted(context: ServerContext, { mark, brokerIds, now }: Of<'retracted'>): Change {
  const entry = retractOf(context, mark);
  if (entry === undefined) return {};
  const ended = remembering(context, brokerIds);
  if (brokerIds.length === 0 && now < entry.at + LATE_MS) return {};
  return { outbox: without(context.outbox, entry.id), ended };
}

/** Whether an event leaves nothing of a server that was known by an intent alone: it is unknown again. */
export function forgets(context: ServerContext, event: Of<'abandon'> | Of<'retracted'>): boolean {
  const changed = event.type === 'abandon' ? abandon(context, event) : retracted(context, event);
  return changed.outbox?.length === 0 && !isKnown(context);
}

/** Whether a server has had more than intents of subscriptions that came to nothing. */
export function isKnown({ outbox, factId, rules, subscriptions }: ServerContext): boolean {
  if (factId > 0 || rules.length > 0 || subscriptions.length > 0) return true;
  return !outbox.some((entry) => isIntent(entry) && !entry.known);
}

/** The outbox of a server that has more than intents now: it stays known when these come to nothing. */
export function asKnown(outbox: ServerContext['outbox']): ServerContext['outbox'] {
  if (!outbox.some((entry) => isIntent(entry) && !entry.known)) return outbox;
  return outbox.map((entry) => (isIntent(entry) ? { ...entry, known: true } : entry));
}

/** Whether a mark is that of a subscription which is on its way, or whose end is. */
export function isMarked(context: ServerContext, mark: string): boolean {
  return context.outbox.some((entry) => isIntent(entry) && entry.mark === mark);
}

function retractOf(context: ServerContext, mark: string): RetractEffect | undefined {
  return context.outbox.find(
    (entry): entry is RetractEffect => entry.type === 'retract' && entry.mark === mark,
  );
}

function isIntent(entry: ServerContext['outbox'][number]): entry is IntendEffect | RetractEffect {
  return entry.type === 'intend' || entry.type === 'retract';
}
