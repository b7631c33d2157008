import { messageId } from '../../delivery/message-id.js';
import type { ComparisonMask } from '../rules/compiled.js';
import type { Measures } from '../rules/metrics.js';
import type { NotificationState } from '../state/state-machine.js';
import type { SubscribedRule } from '../state/subscription.js';
import type { Values, Windows } from '../windows/window.js';

/** What is to be sent for a subscription, unless it is suppressed. */
export interface Notification {
  readonly subscribed: SubscribedRule;
  readonly state: NotificationState;
  /** Start of the period, or the time of the last measurement; ms since the epoch. undefined: there never was one. */
  readonly since: number | undefined;
  /** What was compared, by metric; of a metric with several aggregates the first one. Empty for `noData`. */
  readonly measures: Measures;
  /** null: no fact caused it. */
  readonly factId: number | null;
  /** ms since the epoch. */
  readonly at: number;
  /** True if the message is not sent: the subscription is muted or suspended. */
  readonly suppressed: boolean;
  /** The comparisons that are true. */
  readonly mask: ComparisonMask;
  /** The windows that were evaluated. */
  readonly windows: Windows<Values>;
}

/** A notification of a subscription, with everything that its messages need. */
export interface Alert extends Omit<Notification, 'at' | 'suppressed'> {
  readonly tenantId: string;
  /** The name of the tenant for people. */
  readonly tenantName: string;
  readonly serverId: string;
  /** ms since the epoch. */
  readonly firedAt: number;
}

/** Identifies an alert. */
export interface AlertKey extends Pick<Alert, 'tenantId' | 'serverId' | 'factId' | 'firedAt'> {
  readonly subscriptionId: string;
  /** Of `noData`: two of one subscription may have one time, when its rule gets another condition. */
  readonly since?: number | undefined;
}

/** Returns the line of the messages of a subscription: see `messageId`. */
export function lineOfAlerts(tenantId: string, serverId: string, subscriptionId: string): string {
  return `${tenantId}/${serverId}/${subscriptionId}`;
}

/** Returns the id of the webhook of an alert: the same at every decision of the fact, and at every attempt. */
export function alertId({ subscriptionId, tenantId, serverId, factId, firedAt, since }: AlertKey): string {
  const line = lineOfAlerts(tenantId, serverId, subscriptionId);
  // Without a fact, there is one alert of the subscription at that time.
  return messageId(firedAt, `${line}/${factId ?? `noData/${since}`}`, { line, number: factId ?? 0 });
}
