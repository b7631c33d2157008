import type { MessageWords } from '../../delivery/port.js';
import { evaluatedCondition } from '../state/evaluated-condition.js';
import { evaluatedSentence, noDataSentence } from '../state/sentences.js';
import { resultIn } from '../windows/results.js';
import type { Alert } from './alert-messages.js';

const STATES: Readonly<Record<Alert['state'], string>> = {
  firing: 'firing',
  resolved: 'resolved',
  noData: 'no data',
};

/** Maximum characters of a title: PagerDuty and Opsgenie take no more. */
const LONGEST_TITLE = 130;

/** Returns an alert in words. `publicUrl`: the address of the service for people. */
export function wordsOf(alert: Alert, publicUrl: string): MessageWords {
  const { tenantId, serverId, state, subscribed } = alert;
  return {
    title: titleOf(state, subscribed.rule.name, serverId),
    sentence: sentenceOf(alert),
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
  return Math.max(16, LONGEST_TITLE - Array.from(rest).length);
}

function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
