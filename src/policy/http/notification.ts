import type { Problems } from '../../errors.js';
import { quoted } from '../../untrusted/text.js';
import { factsOf, measuredReader } from '../facts/facts.js';
import type { MeasuredElement, ServerFacts } from '../facts/facts.js';
import type { Element } from '../facts/facts-formats.js';
import type { FactsSettings } from '../facts/measuring-attributes.js';
import { isServerId } from './path-ids.js';

const ALLOWED =
  'must be the id of a server: [A-Za-z0-9_.:~-]{1,256}, neither . nor .., and without .json at its end';

/**
 * Makes the function that reads a notification of several servers, in the formats of operation 1. The `id` of each element
 * names its server. The servers are in the order of their first elements. It throws one `Refusal('bad-request')` that
 * names every problem of the body.
 */
export function notificationReader(settings: FactsSettings): (body: unknown) => readonly ServerFacts[] {
  const read = measuredReader(settings, checkId);
  return (body) => {
    const { measured, source } = read(body);
    const byServer = new Map<string, MeasuredElement[]>();
    for (const one of measured) {
      const serverId = one.element.id as string;
      const list = byServer.get(serverId);
      if (list === undefined) byServer.set(serverId, [one]);
      else list.push(one);
    }
    return [...byServer].map(([serverId, list]) => ({ serverId, facts: factsOf(list, source) }));
  };
}

function checkId({ id, path }: Element, problems: Problems): void {
  if (typeof id === 'string' && isServerId(id) && !id.endsWith('.json')) return;
  const given = id === undefined ? '' : `, not ${quoted(typeof id === 'string' ? id : JSON.stringify(id))}`;
  problems.add(`${path}.id`, ALLOWED + given);
}
