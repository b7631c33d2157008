import type { EmailMessage } from '../../../src/delivery/port.js';
import type { PlainMessage } from './story.js';

/** The parts of a mail that the model decides. */
export interface MailedMessage {
  /** Of its webhook: every alert has both. */
  readonly subscription: string;
  readonly facts: Readonly<Record<string, string>>;
}

const STATES = { firing: 'firing', resolved: 'resolved', noData: 'no data' } as const;
const DECIDED = /^(State|Since|Last measurement|When|Fact|[A-Z][a-z]+ of \w+)$/;

/** Returns what a mail says. `subscription`: the name of its subscription in the story. */
export function mailedMessage(subscription: string, { facts }: Pick<EmailMessage, 'facts'>): MailedMessage {
  const decided = facts
    .filter(([label]) => DECIDED.test(label))
    .map(([label, text]) => [named(label), text.replace(/ %$/, '')]);
  return { subscription, facts: Object.fromEntries(decided.toReversed()) as MailedMessage['facts'] };
}

/** Returns what the mail of a message says. */
export function mailOf(message: PlainMessage): MailedMessage {
  const { subscription, state, since, at, fact, measures, isStated } = message;
  const seconds = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    subscription,
    facts: {
      ...(isStated && { State: STATES[state] }),
      ...(isStated && {
        [state === 'noData' ? 'Last measurement' : 'Since']: since === null ? 'none' : seconds(since),
      }),
      When: new Date(at).toISOString(),
      ...(fact !== null && { Fact: String(fact) }),
      ...Object.fromEntries(Object.entries(measures).map(([metric, value]) => [metric, rounded(value)])),
    },
  };
}

/** Returns a number with two decimals, or with two digits if it is below 0.1. */
function rounded(value: number): string {
  return String(Number(Math.abs(value) < 0.1 ? value.toPrecision(2) : value.toFixed(2)));
}

/** Returns the name of a measure without that of its aggregate. */
function named(label: string): string {
  return label.replace(/^[A-Z][a-z]+ of /, '');
}
