import type { BrokerSubscription } from './port.js';
import { BrokerRefused } from './port.js';

/** Characters that Orion refuses in every string of a request, as a protection against script injection. */
const FORBIDDEN = /[<>"'=;()]/;

/** Orion replaces this in custom notifications by an attribute of the entity. */
const MACRO = /\$\{/;

const CHARACTERS = `< > " ' = ; ( )`;

/**
 * Throws `BrokerRefused` if a string of the subscription has a character that Orion refuses. Orion's own answer would not
 * name the string. `withHeaders` includes the headers, for APIs that send them.
 */
export function requireOrionCharacters(subscription: BrokerSubscription, withHeaders: boolean): void {
  const { entityId, entityType, attributes, callback, headers } = subscription;
  for (const text of [entityId, entityType, ...attributes]) {
    if (FORBIDDEN.test(text)) throw refused(`The name ${text}`, 'choose another');
  }
  if (FORBIDDEN.test(callback))
    throw refused('The address for notifications', 'choose a PUBLIC_URL without them');
  if (!withHeaders) return;
  for (const [name, value] of Object.entries(headers)) {
    const secretFree = `The header ${name} for notifications`;
    if (FORBIDDEN.test(name + value))
      throw refused(secretFree, 'choose a value without them, such as hexadecimal digits');
    if (MACRO.test(value))
      throw new BrokerRefused(`${secretFree} has a "\${", which Orion replaces; choose another value.`);
  }
}

function refused(what: string, advice: string): BrokerRefused {
  return new BrokerRefused(
    `${what} has one of the characters ${CHARACTERS}, which Orion does not take; ${advice}.`,
  );
}
