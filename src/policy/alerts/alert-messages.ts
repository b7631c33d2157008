import { messageId } from '../../delivery/message-id.js';
import {
  type EmailMessage,
  type EmailSeries,
  type WebhookMessage,
  WHERE_TO_LOOK,
} from '../../delivery/port.js';
import type { CompiledComparison, CompiledCondition, ComparisonMask } from '../rules/compiled.js';
import { type Aggregate, conditionText } from '../rules/condition.js';
import { isOfDocument, type Measures } from '../rules/metrics.js';
import { type EmailAction, hasMessageState, isEmail } from '../rules/rule.js';
import { evaluatedCondition } from '../state/evaluated-condition.js';
import { comparisonsPhrase, noDataSentence, numberText, timeText } from '../state/sentences.js';
import type { NotificationState } from '../state/state-machine.js';
import type { SubscribedRule } from '../state/subscription.js';
import { aggregated } from '../windows/aggregate.js';
import { resultIn } from '../windows/results.js';
import { arrayOf } from '../windows/slide.js';
import { type Values, windowOf, type Windows } from '../windows/window.js';

/** A message keeps at most so many windows, and so many numbers of each, of so many digits: outboxes hold many messages. */
const MAX_SERIES = 4;
const MAX_VALUES = 60;
const DIGITS = 6;

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

/** Returns the id of the webhook of an alert: the same at every decision of the fact, and at every attempt. */
export function alertId({ subscriptionId, tenantId, serverId, factId, firedAt, since }: AlertKey): string {
  const line = `${tenantId}/${serverId}/${subscriptionId}`;
  // Without a fact, there is one alert of the subscription at that time.
  return messageId(firedAt, `${line}/${factId ?? `noData/${since}`}`, { line, number: factId ?? 0 });
}

/** Returns the POST to the url of the subscription (policy §6). The members of the original come first, then the new ones. */
export function webhookOf(alert: Alert, id: string): WebhookMessage {
  const { subscribed, tenantId, serverId, factId, measures, firedAt, state, since } = alert;
  const { rule, subscription } = subscribed;
  const { action } = rule;
  const original = isEmail(action)
    ? { action: 'notifyEmail', serverId, email: action.email, description: action.body }
    : { action: action.operation, serverId };
  const body = JSON.stringify({
    ...original,
    id,
    factId,
    tenantId,
    ruleId: rule.ruleId,
    ruleName: rule.name,
    actionName: action.actionName,
    subscriptionId: subscription.id,
    measures,
    condition: rule.condition,
    firedAt: new Date(firedAt).toISOString(),
    ...(hasMessageState(rule)
      ? { state, since: since === undefined ? null : new Date(since).toISOString() }
      : {}),
  });
  return { channel: 'webhook', url: subscription.url, body };
}

type Fact = EmailMessage['facts'][number];

const STATES: Readonly<Record<Alert['state'], string>> = {
  firing: 'firing',
  resolved: 'resolved',
  noData: 'no data',
};

/**
 * Returns the e-mail of an alert. `quiet` is the number of firings since the last e-mail. A rule of the
 * document alone has no states. `links`: the address of the service for people, and the one that mutes the subscription.
 */
export function emailOf(
  alert: Alert,
  action: EmailAction,
  quiet: number,
  links: { readonly publicUrl: string; readonly muteUrl: string },
): EmailMessage {
  const { subscribed, tenantId, tenantName, serverId, factId, firedAt, state, since, windows, mask } = alert;
  const { rule, condition } = subscribed;
  const isMeasured = state !== 'noData';
  const series = isMeasured ? mailSeries(condition, windows, mask) : [];
  const lead = leadOf(alert);
  const facts: Fact[] = [
    ['Server', serverId],
    ['Tenant', tenantName],
    ['Rule', rule.name],
    ['Condition', conditionText(rule.condition)],
    ...(hasMessageState(rule) ? stateFacts(state, since) : []),
    ...(isMeasured ? measureFacts(condition.comparisons, windows) : []),
    ['When', new Date(firedAt).toISOString()],
    ...(factId === null ? [] : [['Fact', String(factId)] as const]),
    ...(quiet > 0 ? [['Firings', `${quiet + 1} since the last e-mail, this one included`] as const] : []),
    [WHERE_TO_LOOK, `${links.publicUrl}${pagePath(tenantId, serverId)}`],
  ];
  return {
    channel: 'email',
    to: action.email,
    subject: `${hasMessageState(rule) ? `${capitalized(STATES[state])}: ` : ''}${rule.name} on ${serverId}`,
    ...(lead === undefined ? {} : { lead }),
    body: action.body,
    ...(series.length === 0 ? {} : { series }),
    facts,
    muteUrl: links.muteUrl,
  };
}

/** Returns what changed, if it needs no action of the rule. */
function leadOf({ subscribed, serverId, state, since, firedAt }: Alert): string | undefined {
  if (state === 'resolved') return `Resolved: ${subscribed.rule.name} holds no longer on ${serverId}.`;
  return state === 'noData' ? noDataSentence(since, firedAt) : undefined;
}

/** `since`: ms since the epoch; undefined: no measurement ever came. */
function stateFacts(state: Alert['state'], since: number | undefined): readonly Fact[] {
  const label = state === 'noData' ? 'Last measurement' : 'Since';
  return [
    ['State', STATES[state]],
    [label, since === undefined ? 'none' : timeText(since)],
  ];
}

/** Returns each number that was compared, once. */
function measureFacts(comparisons: readonly CompiledComparison[], windows: Windows<Values>): readonly Fact[] {
  const numbers = comparisons.map((comparison): Fact => {
    const { metric, aggregate } = comparison;
    const unit = isOfDocument(metric) && aggregate !== 'sum' ? ' %' : '';
    const value = numberText(resultIn(windows, comparison));
    return [`${capitalized(aggregate)} of ${metric}`, `${value}${unit}`];
  });
  return [...new Map(numbers)];
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Returns the path of a server's page in the console. */
function pagePath(tenantId: string, serverId: string): string {
  return `/console/servers/${encodeURIComponent(tenantId)}/${encodeURIComponent(serverId)}`;
}

/**
 * Returns the windows that a condition was evaluated with, for its mail: of the first four metrics, in the order in which
 * the condition names them. A window of one value is no series. `mask`: the comparisons that hold.
 */
export function mailSeries(
  condition: CompiledCondition,
  windows: Windows<Values>,
  mask: ComparisonMask,
): readonly EmailSeries[] {
  const { comparisons } = evaluatedCondition(condition, (one) => resultIn(windows, one), mask);
  return condition.metrics
    .filter((metric) => windowOf(windows, metric).values.length > 1)
    .slice(0, MAX_SERIES)
    .map((metric) => {
      const values = arrayOf(windowOf(windows, metric).values);
      const named = comparisons.filter((compared) => compared.metric === metric);
      // A sum is on another scale than the values.
      const drawn = named.filter(({ aggregate }) => aggregate !== 'sum');
      return {
        metric,
        compared: `${capitalized(comparisonsPhrase(named))}.`,
        values: thinned(values, named[0]!.aggregate),
        size: values.length,
        thresholds: [...new Set(drawn.map(({ value }) => value))],
        clears: [...new Set(drawn.flatMap(({ clear }) => clear ?? []))],
        percent: isOfDocument(metric),
      };
    });
}

/** Returns at most `MAX_VALUES` numbers for the values of a window. Each stands for equally many, the first for fewer. */
function thinned(values: readonly number[], aggregate: Aggregate): readonly number[] {
  const each = Math.ceil(values.length / MAX_VALUES);
  const numbers: number[] = [];
  for (let end = values.length % each || each; end <= values.length; end += each) {
    const some = values.slice(Math.max(0, end - each), end);
    numbers.push(aggregated(aggregate === 'sum' ? 'mean' : aggregate, some));
  }
  return numbers.map((value) => Number(value.toPrecision(DIGITS)));
}
