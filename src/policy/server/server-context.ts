import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { PerformedEvent } from '../../actors/outbox.js';
import type { RefusedDelivery } from '../../delivery/delivery.js';
import type { Address } from '../../store/port.js';
import type { SourceName } from '../facts/facts.js';
import type { Measures, Metric } from '../rules/metrics.js';
import type { Rule, RuleChange } from '../rules/rule.js';
import type { TenantView } from '../tenant/tenant-view.js';
import type { StoredTransitions } from '../state/stored-transitions.js';
import type { SubscriptionStates } from '../state/subscription-state.js';
import type { Subscription, BrokerLease, Wanted } from '../state/subscription.js';
import type { DispatchEffect, MessagesBefore } from '../alerts/outgoing-messages.js';
import type { Windows } from '../windows/window.js';
import type { MinuteFigures, TrendMinute } from '../windows/trend-minute.js';
import type { IgnoredBefore, IgnoredValues } from './ignored-values.js';

/**
 * Version of the documents of servers that had a subscription with a form. A release before would send its messages in the wrong
 * form, and without headers.
 */
export const FORMS_VERSION = 2;

/** The context of a server's actor. */
export interface ServerContext extends ActorContext, MessagesBefore, IgnoredBefore {
  readonly address: Address;
  /** Number of the last fact; 0 before the first. */
  readonly factId: number;
  /** The origin of the last fact; undefined if it came by operation 1 or by entity. */
  readonly origin: SourceName | undefined;
  readonly windows: Windows;
  /** Version of the tenant's window size that applies to the windows. */
  readonly windowVersion: number;
  /** The latest version of the tenant in an event; undefined: 0. */
  readonly tenantVersion: number | undefined;
  readonly outbox: readonly ServerEffect[];
  /** The server's own rules, oldest first. */
  readonly rules: readonly Rule[];
  readonly states: SubscriptionStates;
  /** When the next no-data timeout may be over, ms since the epoch; it may be too early. undefined: there is none. */
  readonly noDataAt: number | undefined;
  /**
   * Since when the server has no subscription and no own rule, ms since the epoch; undefined if it has one, or never had. See
   * `forgetting.ts`.
   */
  readonly idleSince: number | undefined;
  /** Number of transitions so far. */
  readonly recorded: number | undefined;
  /** The running minute of the watched metrics; undefined: there was none yet. */
  readonly trend: MinuteFigures | undefined;
  /** The metrics of `trend`. */
  readonly trended: readonly Metric[];
  /** Minutes that are over and wait to be handed over to the trend of the server, oldest first. */
  readonly closed: readonly TrendMinute[];
  /** Oldest first. Of those that a broker feeds, only the facts of the oldest count. */
  readonly subscriptions: readonly Subscription[];
  /** Ids at the broker of subscriptions that ended, newest last. Their late facts do not count. */
  readonly ended: readonly string[];
}

/** Returns a copy of a context; see `ActorKind.copy`. */
export function copyOf(context: ServerContext): ServerContext {
  const copy: { -readonly [M in keyof ServerContext]: ServerContext[M] } = {
    address: context.address,
    factId: context.factId,
    origin: context.origin,
    windows: context.windows,
    windowVersion: context.windowVersion,
    tenantVersion: context.tenantVersion,
    outbox: context.outbox,
    rules: context.rules,
    states: context.states,
    noDataAt: context.noDataAt,
    idleSince: context.idleSince,
    recorded: context.recorded,
    trend: context.trend,
    trended: context.trended,
    closed: context.closed,
    subscriptions: context.subscriptions,
    ended: context.ended,
    mail: context.mail,
    newest: context.newest,
    unsent: context.unsent,
    ignored: context.ignored,
    ignoredWrittenAt: context.ignoredWrittenAt,
    wakeAt: context.wakeAt,
    reply: context.reply,
  };
  if (context.plannedAt !== undefined) copy.plannedAt = context.plannedAt;
  if (context.needsVersion !== undefined) copy.needsVersion = context.needsVersion;
  return copy;
}

export type ServerEffect =
  | DispatchEffect
  /** Ends a subscription at the broker. */
  | (OutboxEntry & { readonly type: 'unsubscribe'; readonly brokerId: string })
  /** Extends a subscription at the broker. */
  | (OutboxEntry & { readonly type: 'renew'; readonly subscriptionId: string; readonly brokerId: string })
  /** Resumes the endpoint of a suspended subscription. `since`: start of the suspension, ms since the epoch. */
  | (OutboxEntry & { readonly type: 'resume'; readonly subscriptionId: string; readonly since: number })
  | IntendEffect
  | RetractEffect
  | RecordEffect
  | TrendEffect
  | AlertEffect
  | EraseEffect
  /** Compares the time without measurements with `noData` of the rules. */
  | (OutboxEntry & { readonly type: 'noDataTimeout' });

/** The effect of a type. */
export type EffectOf<T extends ServerEffect['type']> = Extract<ServerEffect, { readonly type: T }>;

/** A request for a subscription at the broker; see `broker-intents.ts`. */
export interface IntendEffect extends OutboxEntry {
  readonly type: 'intend';
  /** 24 hexadecimal digits in the subscription at the broker. */
  readonly mark: string;
  /** ms since the epoch. */
  readonly at: number;
  /** False if the server was unknown before. */
  readonly known: boolean;
}

/** Ends the subscriptions at the broker that have the mark of an abandoned intent. */
export interface RetractEffect extends Omit<IntendEffect, 'type'> {
  readonly type: 'retract';
}

/** Appends transitions to the history of the server. */
export interface RecordEffect extends OutboxEntry, StoredTransitions {
  readonly type: 'record';
  /** Number of the first of these transitions among all of the server, from 1 on. */
  readonly first: number;
}

/** Hands minutes over to the trend of the server. */
export interface TrendEffect extends OutboxEntry {
  readonly type: 'trend';
  /** Number of the fact that began the minute after them. */
  readonly factId: number;
  /** Oldest first. */
  readonly minutes: readonly TrendMinute[];
}

/** A notice to the alert of a subscription to an Alertmanager: it begins or ends, or may look different. */
export interface AlertEffect extends OutboxEntry {
  readonly type: 'alert';
  readonly subscriptionId: string;
  /** ms since the epoch. */
  readonly at: number;
  /** The firings with which it has begun, oldest first; absent for any other change. */
  readonly firings?: readonly BegunAlert[];
}

/** The firing with which an alert begins. */
export interface BegunAlert {
  readonly ruleId: string;
  readonly factId: number;
  /** Id of the delivery of its messages. */
  readonly deliveryId: string;
}

/** Deletes what other actors have of the server that was there before; see `erasing.ts`. */
export interface EraseEffect extends OutboxEntry {
  readonly type: 'erase';
  /** When the server was deleted, ms since the epoch. */
  readonly at: number;
  /** Number of its transitions. */
  readonly recorded: number;
  /** The urls of its subscriptions. */
  readonly urls: readonly string[];
  /** True if it had no subscription for long. */
  readonly idle: boolean;
  /** False while the server has had neither a rule nor a subscription since. */
  readonly known: boolean;
  /** True if nothing is left but other entries. */
  readonly erased?: true;
}

/** A copy of the tenant in an event; see `onTenantCopy`. */
export interface TenantCopy {
  readonly tenant: TenantView;
  /** True: the copy counts even after a later version. This happens after a restore of the database. */
  readonly restored?: boolean | undefined;
}

export type ServerEvent = ActorEvent &
  (
    | (TenantCopy & {
        readonly type: 'facts';
        /** In the order of their numbers. */
        readonly measures: readonly Measures[];
        /** Times that came with the values of each of them, µs since the epoch; absent if none did. */
        readonly times?: readonly (Measures | undefined)[] | undefined;
        /** As `Facts.groups`. */
        readonly groups?: readonly number[] | undefined;
        /** Id of the broker subscription that sent them; undefined if unknown. */
        readonly source: string | undefined;
        /** What sent them by itself; undefined: a request of operation 1 or of facts by entity. */
        readonly origin?: SourceName | undefined;
        /** Characters that further messages of the tenant may have; absent: any number. */
        readonly room?: number;
      })
    | { readonly type: 'addRules'; readonly rules: readonly Rule[] }
    | (TenantCopy & {
        readonly type: 'changeRule';
        readonly ruleId: string;
        readonly change: RuleChange;
      })
    | { readonly type: 'removeRule'; readonly ruleId: string }
    /** Generic rules of the tenant may have been changed or removed. */
    | (TenantCopy & { readonly type: 'rulesChanged' })
    /** A no-data timeout may be over. */
    | (TenantCopy & { readonly type: 'noDataTimeout' })
    /** `mark` is the mark of the intent, for a subscription that a broker feeds. */
    | (TenantCopy & {
        readonly type: 'subscribe';
        readonly subscription: Omit<Subscription, 'at'>;
        readonly mark?: string | undefined;
      })
    /** The service will request a subscription from the broker. */
    | (TenantCopy & {
        readonly type: 'intend';
        readonly mark: string;
        /** True if the server was known before. */
        readonly known: boolean;
        readonly wanted: Wanted;
      })
    /** The request of the intent is still under way. Has no effect. */
    | { readonly type: 'followed'; readonly mark: string }
    /** The broker has no subscription of the intent. */
    | { readonly type: 'abandon'; readonly mark: string }
    /** The request of the intent has ended. */
    | { readonly type: 'settle'; readonly mark: string }
    /** `brokerIds` are the ids of the subscriptions that ended at the broker. */
    | { readonly type: 'retracted'; readonly mark: string; readonly brokerIds: readonly string[] }
    | { readonly type: 'unsubscribe'; readonly subscriptionId: string }
    /** A subscription at the broker belongs to no policy subscription. */
    | { readonly type: 'discard'; readonly brokerId: string; readonly mark?: string | undefined }
    /** The broker extended the lease, or granted another. */
    | {
        readonly type: 'renewed';
        readonly entryId: string;
        readonly subscriptionId: string;
        readonly broker: BrokerLease;
      }
    /** The receiver of a subscription refuses too often. `since` is in ms since the epoch. */
    | {
        readonly type: 'suspend';
        readonly subscriptionId: string;
        readonly since: number;
        /** The message that it refused last. */
        readonly refused: RefusedDelivery;
      }
    /** `until` is in ms since the epoch. */
    | {
        readonly type: 'mute';
        readonly subscriptionId: string;
        readonly until: number;
        /** Name of the user; undefined: somebody with the link of a mail. */
        readonly by?: string | undefined;
        /** Why, in the words of the user. */
        readonly comment?: string | undefined;
      }
    | { readonly type: 'unmute'; readonly subscriptionId: string }
    /** Somebody looks after the state of a subscription; without `by` nobody any more. */
    | {
        readonly type: 'acknowledge';
        readonly subscriptionId: string;
        readonly by?: string;
        readonly note?: string | undefined;
      }
    | { readonly type: 'delete' }
    /** The tenant is deleted, with all that other actors have of the server. */
    | { readonly type: 'deleteWithTenant' }
    /** What other actors had of the deleted server is deleted. */
    | { readonly type: 'erased' }
    /** Plans when the server is forgotten. */
    | { readonly type: 'planForgetting' }
    | PerformedEvent
    /** Other actors have taken over these messages or transitions. */
    | { readonly type: 'dispatched'; readonly entryIds: readonly string[] }
    | { readonly type: 'wake' }
  );

/** The event of a type. */
export type EventOf<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;

/** What an event changes of the context. */
export type Change = Partial<ServerContext>;

/** The reply to `facts`. */
export interface FactsReply {
  /** Number of the last fact. */
  readonly factId: number;
  /** False if no value counts. */
  readonly counted: boolean;
  /** Number of measurements without a value that counts; absent: 0. */
  readonly leftOut?: number;
  /** The values that did not count; absent: none. */
  readonly ignored?: readonly IgnoredValues[];
  /** Number of evaluations. */
  readonly evaluated: number;
  /** Number of firings with messages. */
  readonly fired: number;
}
