import type { ActorContext, ActorEvent, OutboxEntry } from '../actors/kind.js';
import type { PerformedEvent } from '../actors/outbox.js';
import type { Address } from '../store/port.js';
import { isPlain } from './form/formats.js';
import type { Answer, Message } from './port.js';

/** The state of the delivery of one message. */
export interface DeliveryContext extends ActorContext {
  readonly message: Message | undefined;
  /** The origin of the message. */
  readonly about: About | undefined;
  /** Id of the receiver of a webhook, for counts by receiver; undefined for any other message. */
  readonly receiver: string | undefined;
  /** Planned time of the first attempt, ms since the epoch. */
  readonly since: number;
  /** Id of the earlier message of the same subscription and channel that this one waits for; undefined: none. */
  readonly after: string | undefined;
  /** True for a message without attempts: it becomes a dead letter when it is released. */
  readonly overdue: true | undefined;
  /**
   * When the messages before it ended, or when the clock was set back, ms since the epoch; undefined without either.
   */
  readonly released: number | undefined;
  /** Id of the message that waits for this one; undefined: none does. */
  readonly next: string | undefined;
  /** True after somebody has sent it again: no message waits for it. */
  readonly redelivered: true | undefined;
  /** Answered attempts since then. */
  readonly tries: number;
  /** The newest attempts, newest last. */
  readonly attempts: readonly Attempt[];
  readonly outbox: readonly DeliveryEffect[];
}

/** The subscription that a message is for, or the transaction whose receipt it mirrors. */
export type About = AboutMessage | AboutReceipt;

/** The transaction whose receipt is mirrored. */
export interface AboutReceipt {
  readonly tenant: string;
  readonly transactionHash: string;
}

/** The subscription that a message is for. */
export interface AboutSubscription {
  readonly tenant: string;
  readonly server: string;
  readonly subscriptionId: string;
}

/** A message of a subscription. */
export interface AboutMessage extends AboutSubscription {
  /** Number of the fact that caused it; null: none did. */
  readonly factId: number | null;
  /**
   * Revision of the server when it handed the message over: its document still had the message. Absent in older documents,
   * and for a message to an Alertmanager.
   */
  readonly revision?: number;
  /** The span of the decision as `traceparent`: the parent of each attempt. Absent unless the fact is traced. */
  readonly trace?: string;
}

/** A message whose refusal suspends its subscription. */
export interface RefusedDelivery {
  readonly deliveryId: string;
  /** Number of the fact that caused the message; null: none did. */
  readonly factId: number | null;
}

/** False for the delivery of a mirrored receipt. */
export function isOfSubscription(about: About | undefined): about is AboutMessage {
  return about !== undefined && 'subscriptionId' in about;
}

/** An attempt with its result. */
export interface Attempt {
  /** ms since the epoch. */
  readonly at: number;
  readonly result: Answer['result'] | 'overdue';
  readonly detail: string;
}

/** Returns an attempt as it is kept. */
export function attemptOf({ now: at, answer: { result, detail } }: AnsweredEvent): Attempt {
  return { at, result, detail };
}

/** Returns when a delivery could first be tried, ms since the epoch. `giveUpMs` counts from here. */
export function triableSince({ since, released }: Pick<DeliveryContext, 'since' | 'released'>): number {
  return released ?? since;
}

export type DeliveryEffect =
  /** Send the message once. */
  | (OutboxEntry & { readonly type: 'attempt' })
  /** Report a dead letter to the endpoint. `status`: of the receiver's refusal; undefined for any other failure. */
  | (OutboxEntry & { readonly type: 'report'; readonly status: number | undefined })
  /** Ask the message before it for its release. */
  | (OutboxEntry & { readonly type: 'join' })
  /** Release the message that waited for this one. */
  | (OutboxEntry & { readonly type: 'release'; readonly successor: string })
  /** Tell the endpoint that its receiver accepted a message, which resets the refusals in a row. */
  | (OutboxEntry & { readonly type: 'delivered' })
  /** Tell the endpoint that a dead letter has reached its age and is deleted. */
  | (OutboxEntry & { readonly type: 'expire' });

/** The effect of a type. */
export type EffectOf<T extends DeliveryEffect['type']> = Extract<DeliveryEffect, { readonly type: T }>;

export type DeliveryEvent =
  | DispatchEvent
  | RenewEvent
  | ReleasedEvent
  | AnsweredEvent
  | PerformedEvent
  | (ActorEvent &
      /**
       * Another message waits for this one. Replies true if the delivery is pending: it then releases the successor at its
       * end.
       */
      (
        | { readonly type: 'follow'; readonly successor: string }
        /** The message before it will release this one. */
        | { readonly type: 'joined' }
        /** No permit was free: no attempt was made. `until`: ms since the epoch. */
        | { readonly type: 'postponed'; readonly until: number }
        /** The delivery has acquired a permit: it is tried now, even before its time. */
        | { readonly type: 'acquired' }
        /** Sends a dead letter again. */
        | { readonly type: 'redeliver' }
        /** Sends a message again, a delivered one too. One that waits is tried now. */
        | { readonly type: 'resend' }
        /** Tries a message that waits now. */
        | { readonly type: 'try' }
        /** Deletes a message that is not delivered. */
        | { readonly type: 'discard' }
        /** Deletes a dead letter that is above the limit of its subscription. */
        | { readonly type: 'drop' }
        /** The endpoint knows that this dead letter is deleted. */
        | { readonly type: 'expired' }
        /** Deletes a message of a tenant that is deleted; a mirrored receipt stays. */
        | { readonly type: 'erase' }
        | { readonly type: 'wake' }
      ));

/** The event of a type. */
export type EventOf<T extends DeliveryEvent['type']> = Extract<DeliveryEvent, { readonly type: T }>;

/** A message is dispatched. */
export interface DispatchEvent extends ActorEvent {
  readonly type: 'dispatch';
  readonly message: Message;
  readonly about: About;
  /** True for a message without attempts: it becomes a dead letter after those before it have ended. */
  readonly overdue?: boolean;
  /** Id of the pending message before it of the same subscription and channel: the delivery is blocked. */
  readonly after?: string | undefined;
  /** Given if no permit is free: the delivery waits until then, ms since the epoch. */
  readonly until?: number | undefined;
}

/**
 * A newer message takes the place of the delivery's, and is sent as if it were another one. The reply is
 * `Renewed`.
 */
export interface RenewEvent extends ActorEvent {
  readonly type: 'renew';
  readonly message: Message;
  readonly about: About;
  /** True if a waiting delivery is tried at once, not at its time. */
  readonly urgent: boolean;
  /** Given if no permit is free: the delivery waits until then, ms since the epoch. */
  readonly until?: number | undefined;
}

/** State of the message that was replaced; `new` if there was none. `busy`: an attempt is under way, and nothing was replaced. */
export type Renewed = 'new' | 'waiting' | 'delivered' | 'dead' | 'busy';

/** The messages before it have ended. */
export interface ReleasedEvent extends ActorEvent {
  readonly type: 'released';
  /** Given if no permit is free: the delivery waits until then, ms since the epoch. */
  readonly until?: number | undefined;
}

/** An attempt was answered. */
export interface AnsweredEvent extends ActorEvent {
  readonly type: 'answered';
  readonly answer: Answer;
  /** Uniform in [0, 1). */
  readonly random: number;
  /** True if the endpoint has counted refusals, which a delivered message ends. */
  readonly endsRefusals?: boolean;
}

/** Kind of the actors that deliver one message each. */
export const DELIVERY = 'delivery';

/** The states of the machine in which a message may still be sent. One that is discarded is `dropped` at first. */
export const PENDING_STATES: readonly string[] = ['sending', 'waiting', 'blocked'];

/** The states of a delivery that people see. */
export const SHOWN_STATES = ['pending', 'delivered', 'dead'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

/** Returns the state that people see for a state of the machine. undefined for a delivery that does not exist. */
export function shownState(state: string): ShownState | undefined {
  return SHOWN_STATES.find((one) => one === (PENDING_STATES.includes(state) ? 'pending' : state));
}

/** Version of the documents of messages with a form: an earlier release would send them without it. */
export const FORMS_VERSION = 2;

/** Returns the version that the document of a message needs, as a member of its context. */
export function needsOf(message: Message): Pick<DeliveryContext, 'needsVersion'> {
  return message.channel === 'webhook' && !isPlain(message) ? { needsVersion: FORMS_VERSION } : {};
}

/** `name`: the id of the message. */
export function deliveryAddress(tenant: string, name: string): Address {
  return { kind: DELIVERY, tenant, name };
}

/** Why a dead letter was deleted: it reached its age, its subscription had too many, or somebody discarded it. */
export type EndOfDeadLetter = 'age' | 'limit' | 'discarded';
