import { Problems, Refusal, type RefusalCode } from '../../errors.js';
import { refusalOf } from '../../http/failures/failure.js';
import { presentable, quoted } from '../../untrusted/text.js';
import { elementValues, type Facts, type MeasuredElement, type Element, elementsOf } from '../facts/facts.js';
import type { FactsSettings } from '../facts/measuring-attributes.js';
import type { FactsByEntityReply, RefusedServer, ServerFacts } from '../server/facts-by-entity.js';
import { packedServers, unpackedServers } from '../sources/fact-parts.js';
import { isNamedServerId } from '../server/server-id.js';

/** An element of a notification that was not taken. */
export interface RefusedElement {
  /** Place in the list as it was sent, from 0 on. */
  readonly index: number;
  /** The `id` as it was sent, cut to 256 characters; null if it is not a string. */
  readonly id: string | null;
  readonly message: string;
}

/** The elements of a notification that were not taken. */
export interface RefusedElements {
  /** Number of all of them. */
  readonly count: number;
  /** The first of them, as many as an answer lists. */
  readonly listed: readonly RefusedElement[];
}

/** A broker's notification with elements of several servers. */
export interface FactsByEntityBody {
  /** In the order of their first elements. */
  readonly servers: Iterable<ServerFacts>;
  readonly serverCount: number;
  /** The elements with faults. */
  readonly refused: RefusedElements;
  /** True if an element is an entity without attributes: there is nothing to take of it. */
  readonly hasEmpty: boolean;
}

/** What the thread read: the servers in parts, see `packedServers`. */
export type PackedBody = Omit<FactsByEntityBody, 'servers'> & { readonly servers: readonly Uint8Array[] };

/** The elements of one server. */
interface Group {
  readonly measured: MeasuredElement[];
  readonly indexes: number[];
}

const ALLOWED =
  'must be the id of a server: [A-Za-z0-9_.:~-]{1,256}, neither . nor .., and without .json at its end';

/**
 * Makes the function that reads a notification of several servers, in the formats of operation 1. The `id` of each element
 * names its server. An element with faults is left out, and so are those of a server with too many metrics. The function throws
 * `Refusal('bad-request')` or `Refusal('too-large')` if there is nothing left: it names the faults of all elements.
 */
export function factsByEntityReader(settings: FactsSettings): (body: unknown) => FactsByEntityBody {
  const { valuesOf, factsOf, nothingMeasured } = elementValues(settings);
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
    const code = refused.count === 0 && byServer.size > 0 ? 'too-large' : 'bad-request';
    const servers: ServerFacts[] = [];
    for (const [serverId, { measured, indexes }] of byServer) {
      const facts = takenOrRefused(() => factsOf(measured, list.source));
      if (!(facts instanceof Refusal)) servers.push({ serverId, facts, indexes });
      else for (const index of indexes) refused.add(index, serverId, `server ${serverId}: ${facts.message}`);
    }
    if (servers.length === 0 && !hasEmpty) {
      throw refused.count === 0 ? nothingMeasured() : new Refusal(code, messageOf(refused));
    }
    // Only plain data leaves the thread of large bodies.
    return { servers, serverCount: servers.length, refused: refused.sorted, hasEmpty };
  };
}

/** Returns a body as the thread sends it. The servers are read once. */
export function packedBody(body: FactsByEntityBody): PackedBody {
  return { ...body, servers: packedServers([...body.servers]) };
}

/** Returns a body of the thread. The servers can be read once: each part when it is taken. */
export function unpackedBody(body: PackedBody): FactsByEntityBody {
  return { ...body, servers: unpackedServers(body.servers) };
}

function takenOrRefused(read: () => Facts): Facts | Refusal {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
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

function addTo(byServer: Map<string, Group>, serverId: string, values: MeasuredElement, index: number): void {
  let group = byServer.get(serverId);
  if (group === undefined) byServer.set(serverId, (group = { measured: [], indexes: [] }));
  group.measured.push(values);
  group.indexes.push(index);
}

function checkId({ id, path }: Element, problems: Problems): void {
  if (typeof id === 'string' && isNamedServerId(id)) return;
  const given = id === undefined ? '' : `, not ${quoted(typeof id === 'string' ? id : JSON.stringify(id))}`;
  problems.add(`${path}.id`, ALLOWED + given);
}

/**
 * Returns the elements of a notification that were not taken, by index: those with faults, and those of servers that took
 * nothing. Throws the refusal of the whole notification if no server took anything: it names all of them.
 */
export function refusedElements(
  { serverCount, refused: inBody, hasEmpty }: Omit<FactsByEntityBody, 'servers'>,
  { refused: failed }: Pick<FactsByEntityReply, 'refused'>,
): RefusedElements {
  if (failed.length === 0) return inBody;
  if (failed.length === serverCount && !hasEmpty) throw nothingTaken(inBody, failed);
  const all = new RefusedList();
  all.addAll(inBody);
  for (const one of failed) {
    const { message } = refusalOfServer(one);
    for (const index of one.server.indexes) all.add(index, one.server.serverId, message);
  }
  return all.sorted;
}

/** Returns the words for refused elements, to follow a title; empty if there are none. */
export function refusedTitle({ count, listed }: RefusedElements): string {
  if (count === 0) return '';
  const some = count === listed.length ? '' : `, ${listed.length} of them listed`;
  return `; ${count} ${count === 1 ? 'element' : 'elements'} refused${some}`;
}

/** The codes of servers' refusals. The first that one of them has is that of the notification. */
const CODES: readonly RefusalCode[] = ['internal', 'unavailable', 'too-large', 'conflict'];

/** Returns the error of a notification that no server took. A fault of the service is thrown as it is, to be logged. */
function nothingTaken(inBody: RefusedElements, failed: readonly RefusedServer[]): unknown {
  const refusals = failed.map(refusalOfServer);
  const code = CODES.find((one) => refusals.some((refusal) => refusal.code === one)) ?? 'bad-request';
  const first = refusals.findIndex((refusal) => refusal.code === code);
  const { error } = failed[first]!;
  if (code === 'internal') return error;
  const all = new RefusedList();
  for (const { message } of refusals) all.add(0, null, message);
  all.addAll(inBody);
  const waits = refusals.flatMap(({ retryAfterS }) => retryAfterS ?? []);
  const retry = waits.length === 0 ? {} : { retryAfterS: Math.max(...waits) };
  return new Refusal(code, messageOf(all), { cause: error, ...retry });
}

/** Returns the refusal of a server, with the server's id before the message. */
function refusalOfServer({ server: { serverId }, error }: RefusedServer): Refusal {
  const { code, message, retryAfterS } = refusalOf(error, 'POST');
  return new Refusal(
    code,
    `server ${serverId}: ${message}`,
    retryAfterS === undefined ? {} : { retryAfterS },
  );
}

/** Maximum characters of the list: the answer to a small body with many faults must not be many times as large. */
const LISTED_LIMIT = 256 * 1024;
/** Maximum number of characters of an element in the list beside its id and its message. */
const BESIDE = 48;
/** Maximum characters of an id: as many as the id of a server has. */
const LONGEST_ID = 256;

/** Collects the elements that are not taken. */
class RefusedList implements RefusedElements {
  readonly listed: RefusedElement[] = [];
  count = 0;
  #room = LISTED_LIMIT;

  /** `id` is as it was sent. */
  add(index: number, id: unknown, message: string): void {
    this.count += 1;
    if (this.#room <= 0) return;
    const element = { index, id: shownId(id), message: presentable(message) };
    this.#room -= BESIDE + (element.id?.length ?? 0) + element.message.length;
    if (this.#room >= 0) this.listed.push(element);
  }

  /** The elements by their indexes. */
  get sorted(): RefusedElements {
    return { count: this.count, listed: this.listed.toSorted((a, b) => a.index - b.index) };
  }

  /** Adds what another list has. */
  addAll({ count, listed }: RefusedElements): void {
    for (const { index, id, message } of listed) this.add(index, id, message);
    this.count += count - listed.length;
  }
}

function shownId(id: unknown): string | null {
  if (typeof id !== 'string') return null;
  return id.length <= LONGEST_ID ? id : `${id.slice(0, LONGEST_ID - 1)}…`.toWellFormed();
}
