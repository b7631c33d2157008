import { type MessageForm, sameForm } from '../../delivery/form/formats.js';
import type { CompiledCondition } from '../rules/compiled.js';
import { type QuietTime, quietEnd } from '../quiet/quiet-time.js';
import type { Rule } from '../rules/rule.js';

/** A rule bound to a notification url on one server (policy §2, Subscription). Its form is how its webhooks are sent. */
export interface Subscription extends MessageForm {
  readonly id: string;
  readonly ruleId: string;
  readonly url: string;
  /** When it was made, ms since the epoch. */
  readonly at: number;
  /** How severe its rule is, see `severityOf`; undefined for a rule without the label. */
  readonly severity?: number | undefined;
  /** undefined if no context broker feeds the subscription. */
  readonly broker?: BrokerLease | undefined;
  /**
   * Start of the suspension, ms since the epoch; undefined if messages are sent. A receiver that refuses too often is
   * suspended.
   */
  readonly suspended?: number | undefined;
  /** `suspended` of the last suspension that ended. */
  readonly lifted?: number | undefined;
  /** End of the last mute, ms since the epoch; see `currentMute`. Until then nothing is sent. */
  readonly mutedUntil?: number | undefined;
  /** When that mute was made, ms since the epoch. */
  readonly mutedAt?: number | undefined;
  /** Who made it: name of the user, or `operator`; undefined: somebody with the link of a mail. */
  readonly muter?: string | undefined;
  /** Why it was made, in the words of the user. */
  readonly muteComment?: string | undefined;
}

/** The members that identify a subscription of a server. */
export type Wanted = MessageForm & Pick<Subscription, 'ruleId' | 'url'>;

/** Returns the subscription that binds the rule to the url in this form already; undefined: there is none. */
export function existingOf(subscriptions: readonly Subscription[], wanted: Wanted): Subscription | undefined {
  const { ruleId, url } = wanted;
  return subscriptions.find((one) => one.ruleId === ruleId && one.url === url && sameForm(one, wanted));
}

/** A subscription at the broker. */
export interface BrokerLease {
  /** Id at the broker. Equals the id of the policy subscription, unless the broker lost that one. */
  readonly id: string;
  /** ms since the epoch; undefined if the lease does not expire. */
  readonly expiresAt?: number | undefined;
  /** When the broker last confirmed the lease, ms since the epoch; undefined: it is not checked. */
  readonly checkedAt?: number | undefined;
}

/** A subscription with its rule, as an evaluation uses it. */
export interface SubscribedRule {
  readonly subscription: Subscription;
  readonly rule: Rule;
  readonly condition: CompiledCondition;
  /** The place of the subscription, and of its state, on the server. */
  readonly index: number;
  /** The quiet times that mute the subscription while they last. */
  readonly quiet: readonly QuietTime[];
}

/** A subscription, and the quiet times that mute it while they last. */
export interface Mutable {
  readonly subscription: Pick<Subscription, 'mutedUntil'>;
  readonly quiet: readonly QuietTime[];
}

/** What keeps a subscription muted. */
export interface Mute {
  /** The end, ms since the epoch. */
  readonly until: number;
  /** Name of the quiet time; undefined: the subscription itself is muted. */
  readonly quiet: string | undefined;
}

/** True if the alerts of a subscription are not sent at `now`: it is muted or suspended. */
export function isSuppressed(
  subscribed: Mutable & { readonly subscription: Pick<Subscription, 'suspended'> },
  now: number,
): boolean {
  return subscribed.subscription.suspended !== undefined || currentMute(subscribed, now) !== undefined;
}

/** Returns the mute of a subscription at `now`, of several the one that ends last; undefined if it is not muted. */
export function currentMute({ subscription, quiet }: Mutable, now: number): Mute | undefined {
  const { mutedUntil } = subscription;
  let mute: Mute | undefined =
    mutedUntil !== undefined && now < mutedUntil ? { until: mutedUntil, quiet: undefined } : undefined;
  for (const one of quiet) {
    const until = quietEnd(one, now);
    if (until !== undefined && until > (mute?.until ?? 0)) mute = { until, quiet: one.name };
  }
  return mute;
}

/** Returns a subscription that is not muted. */
export function withoutMute(subscription: Subscription): Subscription {
  const { mutedUntil: _, mutedAt: __, muter: ___, muteComment: ____, ...unmuted } = subscription;
  return unmuted;
}
