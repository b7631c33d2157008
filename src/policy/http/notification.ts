import { Problems, Refusal } from '../../errors.js';
import { quoted } from '../../untrusted/text.js';
import { elementValues, factsOf, type Measured } from '../facts/facts.js';
import { type Element, elementsOf } from '../facts/facts-formats.js';
import type { FactsSettings } from '../facts/measuring-attributes.js';
import type { ServerFacts } from '../notify/notifications.js';
import { isServerId } from './path-ids.js';
import { type RefusedElements, RefusedList } from './refused-elements.js';

/** A notification of several servers. */
export interface Notification {
  /** In the order of their first elements. */
  readonly servers: readonly ServerFacts[];
  /** The elements with faults. */
  readonly refused: RefusedElements;
  /** True if an element is an entity without attributes: there is nothing to take of it. */
  readonly hasEmpty: boolean;
}

/** The elements of one server. */
interface Group {
  readonly measured: Measured[];
  readonly indexes: number[];
}

const ALLOWED =
  'must be the id of a server: [A-Za-z0-9_.:~-]{1,256}, neither . nor .., and without .json at its end';

/**
 * Makes the function that reads a notification of several servers, in the formats of operation 1. The `id` of each element
 * names its server. An element with faults is left out. The function throws `Refusal('bad-request')` if there is nothing
 * left: it names the faults of all elements.
 */
export function notificationReader(settings: FactsSettings): (body: unknown) => Notification {
  const { valuesOf, nothingMeasured } = elementValues(settings);
  return (body) => {
    const list = elementsOf(body);
    const byServer = new Map<string, Group>();
    const refused = new RefusedList();
    let hasEmpty = false;
    for (let i = 0; i < list.length; i += 1) {
      const problems = new Problems();
      const element = list.read(i, problems);
      if (element !== undefined) checkId(element, problems);
      const values = element && valuesOf(element, problems);
      if (problems.any) refused.add(i, list.idAt(i), problems.text);
      else if (values !== undefined) addTo(byServer, element!.id as string, values, i);
      else hasEmpty ||= element?.isEmpty === true;
    }
    if (byServer.size === 0 && !hasEmpty) throw refused.count === 0 ? nothingMeasured() : allRefused(refused);
    const { source } = list;
    const servers = [...byServer].map(([serverId, { measured, indexes }]) => ({
      serverId,
      facts: factsOf(measured, source),
      indexes,
    }));
    // Only plain data leaves the thread of large bodies.
    return { servers, refused: { count: refused.count, listed: refused.listed }, hasEmpty };
  };
}

/** Returns the refusal of a notification of which no element can be taken. */
function allRefused(refused: RefusedElements): Refusal {
  return new Refusal('bad-request', messageOf(refused));
}

/** Returns the faults of elements as one text, with the number of those that it leaves out. */
export function messageOf({ count, listed }: RefusedElements): string {
  const messages = new Set<string>();
  let room = MESSAGE_LIMIT;
  let named = 0;
  for (const { message } of listed) {
    if (!messages.has(message)) room -= message.length + 2;
    if (room < 0 && named > 0) break;
    messages.add(message);
    named += 1;
  }
  const more = count - named;
  return [...messages].join('; ') + (more > 0 ? `; and ${more} more elements` : '');
}

/** Maximum characters of the faults in a message. */
const MESSAGE_LIMIT = 3_900;

function addTo(byServer: Map<string, Group>, serverId: string, values: Measured, index: number): void {
  let group = byServer.get(serverId);
  if (group === undefined) byServer.set(serverId, (group = { measured: [], indexes: [] }));
  group.measured.push(values);
  group.indexes.push(index);
}

function checkId({ id, path }: Element, problems: Problems): void {
  if (typeof id === 'string' && isServerId(id) && !id.endsWith('.json')) return;
  const given = id === undefined ? '' : `, not ${quoted(typeof id === 'string' ? id : JSON.stringify(id))}`;
  problems.add(`${path}.id`, ALLOWED + given);
}
