import { type EmailMessage, WHERE_TO_LOOK } from '../../delivery/port.js';
import { mailSeries } from '../mail/mail-series.js';
import type { CompiledComparison } from '../rules/compiled.js';
import { conditionText } from '../rules/condition.js';
import { isOfDocument } from '../rules/metrics.js';
import { type EmailAction, hasMessageState } from '../rules/rule.js';
import { noDataSentence, numberText, timeText } from '../state/sentences.js';
import { resultIn } from '../windows/results.js';
import type { Values, Windows } from '../windows/window.js';
import type { Alert } from './alert-messages.js';
import { serverPagePath } from './server-path.js';

/** Where the links of a mail lead. */
export interface MailLinks {
  /** The address of the service for people. */
  readonly publicUrl: string;
  /** Mutes the subscription. */
  readonly muteUrl: string;
}

type Fact = EmailMessage['facts'][number];

const STATES: Readonly<Record<Alert['state'], string>> = {
  firing: 'firing',
  resolved: 'resolved',
  noData: 'no data',
};

/**
 * Returns the e-mail of an alert. `quiet` is the number of firings since the last e-mail. A rule of the
 * document alone has no states.
 */
export function emailOf(alert: Alert, action: EmailAction, quiet: number, links: MailLinks): EmailMessage {
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
    [WHERE_TO_LOOK, `${links.publicUrl}${serverPagePath(tenantId, serverId)}`],
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
