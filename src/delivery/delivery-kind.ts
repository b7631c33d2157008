import type { ActorKind, Actors, EffectRun } from '../actors/kind.js';
import { performed } from '../actors/outbox.js';
import { isAhead, withoutLateWake } from '../actors/clock-set-back.js';
import { actorId, type Address } from '../store/port.js';
import { NO_TRACING, type Tracing } from '../tracing/port.js';
import { attemptSpan, endAttempt } from './attempt-span.js';
import { nextAttemptAt } from './backoff.js';
import {
  type About,
  DELIVERY,
  deliveryAddress,
  type DeliveryContext,
  type DeliveryEffect,
  type DeliveryEvent,
  type EffectOf,
  type EndOfDeadLetter,
  FORMS_VERSION,
  isOfSubscription,
  type ReleasedEvent,
  triableSince,
} from './delivery.js';
import { deliveryNotes } from './delivery-notes.js';
import { deliveryMachine, type DeliverySettings } from './delivery-machine.js';
import { type EndpointContext, type EndpointEvent, endpointOf } from './endpoint/endpoint-machine.js';
import type { Answer, Message, Sender } from './port.js';
import type { Dispatcher } from './queue/dispatcher.js';
import { queueOf } from './queue/permits.js';
import type { ReceiverWatch } from './receiver/receiver-watch.js';

/** Delay after which a delivery without a free permit is tried again, ms: at least `least`, at most `spread` more. */
const POSTPONE_MS = { least: 500, spread: 5_000 };

/** A sender for each channel. */
export type Senders = {
  readonly [C in Message['channel']]: Sender<Extract<Message, { readonly channel: C }>>;
};

export interface DeliveryKindOptions {
  readonly senders: Senders;
  readonly settings: DeliverySettings;
  /** `now`: ms since the epoch; `random`: uniform in [0, 1). */
  readonly clock: { now(): number; random(): number };
  readonly dispatcher: Pick<Dispatcher, 'begin' | 'claim' | 'expect' | 'ended'>;
  /** Called with the result of every attempt. */
  readonly onAttempt: (channel: string, result: string) => void;
  readonly onDeadLetterEnded: (why: EndOfDeadLetter) => void;
  /** Records the health of the receivers of webhooks. */
  readonly receivers: Pick<ReceiverWatch, 'answered' | 'failed'>;
  /** Default: nothing is traced. */
  readonly tracing?: Tracing;
}

/**
 * The kind of the deliveries. Their effects make attempts, report to the endpoints of subscriptions, and keep the order of
 * messages.
 */
export function deliveryKind(options: DeliveryKindOptions): ActorKind {
  return {
    name: DELIVERY,
    version: FORMS_VERSION,
    leastVersion: 1,
    machine: deliveryMachine(options.settings),
    notes: deliveryNotes,
    rarelyWritten: ['message', 'about'],
    evictAfter: ['blocked'],
    bulkStates: ['waiting', 'blocked'],
    unindexedState: 'delivered',
    deletedState: 'gone',
    afterSetBack: deliveryAfterSetBack,
    queue: (state, { message, about }: DeliveryContext) =>
      state === 'waiting' ? queueOf(about!.tenant, message!) : undefined,
    effects: { attempt: attempt(options), ...ordering(options), ...endpointReports(options) },
  };
}

/** The time in which a delivery is tried counts anew. `since` stays: operators see when the message was to be sent first. */
function deliveryAfterSetBack(context: DeliveryContext, now: number): DeliveryContext {
  const planned = withoutLateWake(context, now);
  return isAhead(triableSince(planned), now) ? { ...planned, released: now } : planned;
}

function attempt(options: DeliveryKindOptions) {
  const { senders, settings, clock, dispatcher, onAttempt, receivers, tracing = NO_TRACING } = options;
  /** When the next attempt is due, as the machine decides; undefined for a final answer. */
  const nextOf = (context: DeliveryContext, answer: Answer, random: number): number | undefined =>
    answer.result === 'retry'
      ? nextAttemptAt(context, { answer, random, now: clock.now() }, settings.giveUpMs)
      : undefined;

  return async (
    _entry: unknown,
    context: DeliveryContext,
    { address, actors }: EffectRun,
  ): Promise<DeliveryEvent> => {
    const message = context.message!;
    const queue = queueOf(address.tenant, message);
    const place = { id: actorId(address), queue };
    const free = dispatcher.claim(place);
    if (free === undefined) {
      const now = clock.now();
      const until = now + POSTPONE_MS.least + Math.round(clock.random() * POSTPONE_MS.spread);
      dispatcher.expect(queue, until);
      return { type: 'postponed', now, until };
    }
    const random = clock.random();
    const span = attemptSpan(tracing, context);
    let answer: Answer;
    try {
      const sender = senders[message.channel] as Sender;
      answer = await sender.send(address.name, message, address.tenant, span?.traceparent);
      if (span !== undefined) endAttempt(span, answer);
      onAttempt(message.channel, answer.result);
      if (message.channel === 'webhook') {
        receivers.answered({ id: context.receiver!, url: message.url, about: context.about, answer });
      }
      dispatcher.ended(place, nextOf(context, answer, random));
    } finally {
      free();
    }
    const now = clock.now();
    if (answer.result !== 'delivered' || message.channel !== 'webhook')
      return { type: 'answered', now, answer, random };
    const endsRefusals = await hasRefusals(actors, context.about);
    return { type: 'answered', now, answer, random, endsRefusals };
  };
}

/** True if the endpoint has counted refusals. If the store fails it is true as well: ending no refusals changes nothing. */
async function hasRefusals(actors: Actors, about: About | undefined): Promise<boolean> {
  if (!isOfSubscription(about)) return false;
  try {
    const view = await actors.read<EndpointContext>(endpointOf(about));
    return view !== undefined && view.context.refusals > 0;
  } catch {
    return true;
  }
}

/** The effects that keep the messages of one subscription and channel in order. */
function ordering({ clock, dispatcher }: Pick<DeliveryKindOptions, 'clock' | 'dispatcher'>) {
  /** `message` is of the same receiver as the released one. */
  const release = (actors: Actors, released: Address, message: Message): Promise<void> => {
    const place = { id: actorId(released), queue: queueOf(released.tenant, message) };
    return dispatcher.begin(place, async (until) => {
      const event: ReleasedEvent = { type: 'released', now: clock.now(), until };
      await actors.ask(released, event);
    });
  };
  return {
    /** Asks the message before a blocked one to release it at its end, unless that one is over. */
    async join(_entry: unknown, context: DeliveryContext, run: EffectRun) {
      const event: DeliveryEvent = { type: 'follow', now: clock.now(), successor: run.address.name };
      if (await run.actors.ask<boolean>(deliveryAddress(run.address.tenant, context.after!), event))
        return { type: 'joined', now: clock.now() } satisfies DeliveryEvent;
      await release(run.actors, run.address, context.message!);
      return undefined;
    },
    async release(entry: EffectOf<'release'>, context: DeliveryContext, { address, actors }: EffectRun) {
      await release(actors, deliveryAddress(address.tenant, entry.successor), context.message!);
      return performed(entry, clock.now());
    },
  };
}

/** The effects that report the results of deliveries to the endpoints of their subscriptions. */
function endpointReports({
  clock,
  onDeadLetterEnded,
  receivers,
}: Pick<DeliveryKindOptions, 'clock' | 'onDeadLetterEnded' | 'receivers'>) {
  const ask = async (actors: Actors, about: About | undefined, event: EndpointEvent): Promise<void> => {
    if (isOfSubscription(about)) await actors.ask(endpointOf(about), event);
  };
  return {
    async report(entry: EffectOf<'report'>, context: DeliveryContext, { address, actors }: EffectRun) {
      const { about, message, receiver, attempts } = context;
      if (isOfSubscription(about)) {
        const { server, factId } = about;
        const failed = { deliveryId: address.name, server, receiver, factId, status: entry.status };
        await ask(actors, about, { type: 'failed', now: clock.now(), ...failed });
      }
      const newest = attempts.at(-1);
      if (message?.channel === 'webhook' && newest !== undefined && newest.result !== 'overdue') {
        await receivers.failed({ id: receiver!, url: message.url, about }, newest.at);
      }
      return performed(entry, clock.now());
    },
    async delivered(entry: DeliveryEffect, { about }: DeliveryContext, { actors }: EffectRun) {
      await ask(actors, about, { type: 'delivered', now: clock.now() });
      return performed(entry, clock.now());
    },
    async expire(
      _entry: unknown,
      { about }: DeliveryContext,
      { address, actors }: EffectRun,
    ): Promise<DeliveryEvent> {
      await ask(actors, about, { type: 'forget', now: clock.now(), deliveryId: address.name });
      onDeadLetterEnded('age');
      return { type: 'expired', now: clock.now() };
    },
  };
}
