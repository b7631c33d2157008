import type { ActorContext, ActorEvent, OutboxEntry } from '../../actors/kind.js';
import type { Address } from '../../store/port.js';
import type { Message } from '../../delivery/port.js';
import type { Rule, RuleChange, RuleDraft } from '../rules/rule.js';
import type { WindowSize } from '../tenant/window-size.js';
import type { Measures, Windows } from './window.js';

/** What a server knows of itself. */
export interface ServerContext extends ActorContext {
  readonly address: Address;
  /** Number of the last fact; the first has 1. */
  readonly factId: number;
  readonly windows: Windows;
  /** Version of the tenant's window size that the windows are cut to. */
  readonly windowVersion: number;
  /** True where the windows of every watched metric are full. */
  readonly full: boolean;
  /** True where the last evaluation of any watched rule held. */
  readonly firing: boolean;
  /** Per subscription with an e-mail rule: when the last mail was sent, and how many firings it has kept quiet since. */
  readonly mail: Readonly<Record<string, MailPause>>;
  readonly outbox: readonly ServerEffect[];
  /** The server's own rules, oldest first. */
  readonly rules: readonly Rule[];
  /** Per subscription that was suspended: how many of its messages were not sent. */
  readonly unsent: Readonly<Record<string, number>> | undefined;
  /** Oldest first; the first of those that a broker feeds is the one whose facts count. */
  readonly subscriptions: readonly Subscription[];
  /** Ids at the broker of the newest subscriptions that were ended: their late facts do not count. */
  readonly ended: readonly string[];
}

export interface MailPause {
  readonly at: number;
  readonly quiet: number;
}

/** A rule bound to a notification url on one server (policy §2, Subscription). */
export interface Subscription {
  readonly id: string;
  readonly ruleId: string;
  readonly url: string;
  /** Where a context broker feeds it. */
  readonly broker?: BrokerLease | undefined;
  /** Since when its receiver has refused too much for anything to be sent, ms since the epoch. */
  readonly suspended?: number | undefined;
  /** The `suspended` of the last suspension that was lifted. */
  readonly lifted?: number | undefined;
}

export interface BrokerLease {
  /** The broker's id; the subscription's own unless the broker lost that one. */
  readonly id: string;
  /** ms since the epoch; undefined: does not end. */
  readonly expiresAt?: number | undefined;
}

/** What the tenant decides for all its servers, as a node knows it when an event comes. */
export interface TenantView {
  /** What people call it, the first name first. */
  readonly names: readonly string[];
  readonly window: WindowSize;
  /** The tenant's generic rules. */
  readonly rules: readonly Rule[];
}

export type ServerEffect =
  | DeliverEffect
  | UnsubscribeEffect
  | RenewEffect
  | ResumeEffect
  | IntendEffect
  | RetractEffect;

/** Hand a message over to the deliveries. */
export interface DeliverEffect extends OutboxEntry {
  readonly type: 'deliver';
  readonly message: Message;
  readonly subscriptionId: string;
  /** ms since the epoch. */
  readonly firedAt: number;
  /** Pushed out by newer ones: becomes a dead letter without an attempt. */
  readonly overdue?: true;
}

/** End a subscription at the broker. */
export interface UnsubscribeEffect extends OutboxEntry {
  readonly type: 'unsubscribe';
  readonly brokerId: string;
}

/** A subscription that the broker is asked for: see `broker-intents`. */
export interface IntendEffect extends OutboxEntry {
  readonly type: 'intend';
  /** 24 hexadecimal digits that the broker's subscription bears. */
  readonly mark: string;
  /** ms since the epoch. */
  readonly at: number;
  /** False where the server had not been heard of before. */
  readonly known: boolean;
}

/** End what is at the broker under the mark of an intent that was given up. */
export interface RetractEffect extends OutboxEntry {
  readonly type: 'retract';
  readonly mark: string;
  readonly at: number;
  readonly known: boolean;
}

/** Extend a subscription at the broker. */
export interface RenewEffect extends OutboxEntry {
  readonly type: 'renew';
  readonly subscriptionId: string;
  readonly brokerId: string;
}

/** Tell the endpoint of a subscription that it is taken up again. */
export interface ResumeEffect extends OutboxEntry {
  readonly type: 'resume';
  readonly subscriptionId: string;
  /** When the suspension began, ms since the epoch. */
  readonly since: number;
}

export type ServerEvent = ActorEvent &
  (
    | {
        readonly type: 'facts';
        /** In order; each has the next fact number. */
        readonly measures: readonly Measures[];
        /** The broker's subscription that sent them, where it says so. */
        readonly source: string | undefined;
        readonly tenant: TenantView;
        /** Characters of messages that the tenant has room for; absent: any number. */
        readonly room?: number;
      }
    | { readonly type: 'addRules'; readonly rules: readonly Rule[] }
    | { readonly type: 'changeRule'; readonly ruleId: string; readonly change: RuleChange }
    | { readonly type: 'removeRule'; readonly ruleId: string }
    /** `mark` is that of the intent, where a broker feeds it. */
    | {
        readonly type: 'subscribe';
        readonly subscription: Subscription;
        readonly tenant: TenantView;
        readonly mark?: string | undefined;
      }
    /** The broker is about to be asked. */
    | {
        readonly type: 'intend';
        readonly mark: string;
        /** The server had been heard of before. */
        readonly known: boolean;
        readonly wanted: Pick<Subscription, 'ruleId' | 'url'>;
        readonly tenant: TenantView;
      }
    /** The intent is followed: nothing changes. */
    | { readonly type: 'followed'; readonly mark: string }
    | { readonly type: 'abandon'; readonly mark: string }
    | { readonly type: 'settle'; readonly mark: string }
    /** `brokerIds` are those of what was ended at the broker. */
    | { readonly type: 'retracted'; readonly mark: string; readonly brokerIds: readonly string[] }
    | { readonly type: 'unsubscribe'; readonly subscriptionId: string }
    /** A generic rule of the tenant is gone. */
    | { readonly type: 'endRule'; readonly ruleId: string }
    /** A broker's subscription that no policy subscription bears. */
    | { readonly type: 'discard'; readonly brokerId: string; readonly mark?: string | undefined }
    | {
        readonly type: 'renewed';
        readonly entryId: string;
        readonly subscriptionId: string;
        readonly broker: BrokerLease;
      }
    /** The receiver of a subscription has refused too much. `since` is in ms since the epoch. */
    | { readonly type: 'suspend'; readonly subscriptionId: string; readonly since: number }
    | { readonly type: 'performed'; readonly entryId: string }
    /** Messages of the outbox are with the deliveries. */
    | { readonly type: 'handedOver'; readonly entryIds: readonly string[] }
    | { readonly type: 'wake' }
  );

/** The replies of a server, by event. */
export interface FactsReply {
  readonly factId: number;
  readonly counted: boolean;
  readonly fired: number;
}

export type RuleReply = RuleDraft;
