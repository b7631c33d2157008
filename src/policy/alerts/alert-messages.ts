import { formOf } from '../../delivery/form/formats.js';
import { messageId } from '../../delivery/message-id.js';
import type { MessageWords, WebhookMessage } from '../../delivery/port.js';
import type { ComparisonMask } from '../rules/compiled.js';
import type { Measures } from '../rules/metrics.js';
import { hasMessageState, isEmail } from '../rules/rule.js';
import { evaluatedCondition } from '../state/evaluated-condition.js';
import { evaluatedSentence, noDataSentence } from '../state/sentences.js';
import type { NotificationState } from '../state/state-machine.js';
import type { SubscribedRule } from '../state/subscription.js';
import { resultIn } from '../windows/results.js';
import type { Values, Windows } from '../windows/window.js';
import { isoOf } from '../../system/iso.js';

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

/**
 * Returns the POST to the url of the subscription (policy §6). The members of the original come first, then the new ones.
 * `publicUrl`: the address of the service for people.
 */
export function webhookOf(alert: Alert, id: string, publicUrl: string): WebhookMessage {
  const { subscribed, tenantId, serverId, factId, measures, firedAt, state, since } = alert;
  const { rule, subscription } = subscribed;
  const { action } = rule;
  const mail = isEmail(action) ? action : undefined;
  const hasState = hasMessageState(rule);
  // The text has no member that is undefined. An object that is spread into this one would make it take eight times as long.
  const body = JSON.stringify({
    action: isEmail(action) ? 'notifyEmail' : action.operation,
    serverId,
    email: mail?.email,
    description: mail?.body,
    id,
    factId,
    tenantId,
    ruleId: rule.ruleId,
    ruleName: rule.name,
    actionName: action.actionName,
    subscriptionId: subscription.id,
    measures,
    condition: rule.condition,
    firedAt: isoOf(firedAt),
    state: hasState ? state : undefined,
    since: hasState ? (since === undefined ? null : isoOf(since)) : undefined,
  });
  const { url, format } = subscription;
  const words = format === 'template' ? { words: wordsOf(alert, publicUrl) } : {};
  return { channel: 'webhook', url, body, ...formOf(subscription), ...words };
}

const STATES: Readonly<Record<Alert['state'], string>> = {
  firing: 'firing',
  resolved: 'resolved',
  noData: 'no data',
};

/** Maximum characters of a title: PagerDuty and Opsgenie take no more. */
const LONGEST_TITLE = 130;
/** Maximum characters of a sentence. Slack takes 3,000 in a section, and Telegram 4,096 with title and link. */
const LONGEST_SENTENCE = 2_500;

/** Returns an alert in words. `publicUrl`: the address of the service for people. */
function wordsOf(alert: Alert, publicUrl: string): MessageWords {
  const { tenantId, serverId, state, subscribed } = alert;
  return {
    title: titleOf(state, subscribed.rule.name, serverId),
    sentence: shortened(sentenceOf(alert), LONGEST_SENTENCE),
    serverUrl: `${publicUrl}${pagePath(tenantId, serverId)}`,
  };
}

/** Returns state, rule and server, at most `LONGEST_TITLE` characters. */
export function titleOf(state: Alert['state'], ruleName: string, serverId: string): string {
  const [begin, end] = [`${capitalized(stateText(state))}: `, ` on ${serverId}`];
  return shortened(begin + shortened(ruleName, roomFor(begin + end)) + end, LONGEST_TITLE);
}

/** Returns a state as people read it. */
export function stateText(state: Alert['state']): string {
  return STATES[state];
}

/** Returns the sentence of explain. */
export function sentenceOf({ subscribed, state, since, firedAt, windows, mask }: Alert): string {
  if (state === 'noData') return noDataSentence(since, firedAt);
  const { rule, condition } = subscribed;
  const evaluated = evaluatedCondition(condition, (one) => resultIn(windows, one), mask);
  return evaluatedSentence(
    rule,
    state === 'firing' ? { state, since } : { state: 'calm', since: undefined },
    evaluated,
  );
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Returns the path of a server's page in the console. */
export function pagePath(tenantId: string, serverId: string): string {
  return `/console/servers/${encodeURIComponent(tenantId)}/${encodeURIComponent(serverId)}`;
}

/** A server's id may leave no room for the rule's name. */
function roomFor(rest: string): number {
  return Math.max(16, LONGEST_TITLE - rest.length);
}

/** Counts as most receivers do: a character beyond the 65,536 first ones is two. It is not cut in half. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
