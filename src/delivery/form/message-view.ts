import type { WebhookMessage } from '../port.js';

/** Returns what the tags of a template can name: the members of the message, its state as booleans, and the alert in words. */
export function viewOf({ body, words }: WebhookMessage): Readonly<Record<string, unknown>> {
  const members = JSON.parse(body) as Readonly<Record<string, unknown>>;
  // A message of a rule without states is a firing.
  const { state = 'firing' } = members;
  return {
    ...members,
    firing: state === 'firing',
    resolved: state === 'resolved',
    noData: state === 'noData',
    ...words,
  };
}
