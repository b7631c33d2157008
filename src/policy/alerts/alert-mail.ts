import { type EmailMessage, WHERE_TO_LOOK } from '../../delivery/port.js';
import { shortNumberText } from '../../delivery/senders/series-text.js';
import type { CompiledComparison } from '../rules/compiled.js';
import { conditionText } from '../rules/condition.js';
import { isOfDocument } from '../rules/metrics.js';
import { type EmailAction, hasMessageState } from '../rules/rule.js';
import { timeText } from '../state/sentences.js';
import { resultIn } from '../windows/results.js';
import type { Values, Windows } from '../windows/window.js';
import { type Alert, capitalized, pagePath, sentenceOf, stateText } from './alert-messages.js';
import { mailSeries } from './mail-series.js';
import { withLocalTimes, type LocalTime } from './local-times.js';
import { isoOf } from '../../system/iso.js';

/** What an e-mail has beside its alert. */
export interface MailContext {
  /** Number of firings since the last e-mail. */
  readonly throttled: number;
  /** Id of the first e-mail of the period; undefined: this one is the first. */
  readonly first: string | undefined;
  /** The address of the service for people. */
  readonly publicUrl: string;
  /** The link that mutes the subscription. */
  readonly muteUrl: string;
  /** The time where the readers live; undefined: UTC alone. */
  readonly localTime: LocalTime | undefined;
}

type Fact = EmailMessage['facts'][number];

/** Returns the e-mail of an alert. A rule of the document alone has no states. */
export function emailOf(alert: Alert, action: EmailAction, context: MailContext): EmailMessage {
  const { subscribed, tenantId, tenantName, serverId, factId, firedAt, state, since, windows } = alert;
  const { throttled, first, publicUrl, muteUrl, localTime } = context;
  const { rule, condition } = subscribed;
  const isMeasured = state !== 'noData';
  const series = isMeasured ? mailSeries(condition, windows) : [];
  const times = (text: string): string => withLocalTimes(text, localTime);
  const facts: Fact[] = [
    ['Server', serverId],
    ['Tenant', tenantName],
    ['Rule', rule.name],
    ['Condition', conditionText(rule.condition)],
    ...(hasMessageState(rule) ? stateFacts(state, since, times) : []),
    ...(isMeasured ? measureFacts(condition.comparisons, windows) : []),
    ['When', times(isoOf(firedAt))],
    ...(factId === null ? [] : [['Fact', String(factId)] as const]),
    ...(throttled > 0
      ? [['Firings', `${throttled + 1} since the last e-mail, this one included`] as const]
      : []),
    [WHERE_TO_LOOK, `${publicUrl}${pagePath(tenantId, serverId)}`],
  ];
  return {
    channel: 'email',
    to: action.email,
    state,
    subject: `${hasMessageState(rule) ? `${capitalized(stateText(state))}: ` : ''}${rule.name} on ${serverId}`,
    headline: headlineOf(alert),
    reason: times(sentenceOf(alert)),
    body: action.body,
    ...(series.length === 0 ? {} : { series }),
    facts,
    muteUrl,
    ...(first === undefined ? {} : { first }),
  };
}

/** Returns what happened, with the names of the rule and the server. */
function headlineOf({ subscribed: { rule }, serverId, state }: Alert): string {
  if (state === 'resolved') return `Resolved: ${rule.name} holds no longer on ${serverId}.`;
  return state === 'noData'
    ? `No data: ${rule.name} gets no measurements of ${serverId}.`
    : `${rule.name} fires on ${serverId}.`;
}

/** `since`: ms since the epoch; undefined: no measurement ever came. */
function stateFacts(
  state: Alert['state'],
  since: number | undefined,
  times: (text: string) => string,
): readonly Fact[] {
  const label = state === 'noData' ? 'Last measurement' : 'Since';
  return [
    ['State', stateText(state)],
    [label, since === undefined ? 'none' : times(timeText(since))],
  ];
}

/** Returns each number that was compared, once. */
function measureFacts(comparisons: readonly CompiledComparison[], windows: Windows<Values>): readonly Fact[] {
  const numbers = comparisons.map((comparison): Fact => {
    const { metric, aggregate } = comparison;
    const unit = isOfDocument(metric) && aggregate !== 'sum' ? ' %' : '';
    const value = shortNumberText(resultIn(windows, comparison));
    return [`${capitalized(aggregate)} of ${metric}`, `${value}${unit}`];
  });
  return [...new Map(numbers)];
}
