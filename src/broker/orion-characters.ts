import { BrokerRefused, type BrokerSubscription } from './port.js';

/** Characters that Orion refuses in every string of a request, as a protection against script injection. */
const FORBIDDEN = /[<>"'=;()]/;

const CHARACTERS = `< > " ' = ; ( )`;

/**
 * Throws `BrokerRefused` if a string of the subscription has a character that Orion refuses. Orion's own answer would not
 * name the string. `withHeaders` includes the names of headers, for APIs that send them; `encodedHeaders` writes values.
 */
export function requireOrionCharacters(subscription: BrokerSubscription, withHeaders: boolean): void {
  const { entityId, entityType, attributes, callback, headers } = subscription;
  for (const text of [entityId, entityType, ...attributes]) {
    if (FORBIDDEN.test(text)) throw refused(`The name ${text}`, 'choose another');
  }
  if (FORBIDDEN.test(callback))
    throw refused('The address for notifications', 'choose a PUBLIC_URL without them');
  if (!withHeaders) return;
  for (const name of Object.keys(headers)) {
    if (FORBIDDEN.test(name)) throw refused(`The header ${name} for notifications`, 'choose another');
  }
}

/**
 * Returns headers as Orion's `httpCustom` takes them, so that they arrive as they are. Orion decodes percent-encoding in
 * their values, and before that replaces `${name}` by an attribute, so `%`, `$` and the refused characters are written encoded.
 */
export function encodedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace(/[%$<>"'=;()]/g, percentEncoded)]),
  );
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function refused(what: string, advice: string): BrokerRefused {
  return new BrokerRefused(
    `${what} has one of the characters ${CHARACTERS}, which Orion does not take; ${advice}.`,
  );
}
