import { Refusal, type RefusalCode } from '../../errors.js';
import { refusalOf } from '../../http/failures/failure.js';
import type { NotificationReply, RefusedServer } from '../notify/notifications.js';
import { messageOf, type Notification } from './notification.js';
import { type RefusedElements, RefusedList } from './refused-elements.js';

/**
 * Returns the elements of a notification that were not taken, by index: those with faults, and those of servers that took
 * nothing. Throws the refusal of the whole notification if no server took anything: it names all of them.
 */
export function refusedElements(
  { servers, refused: inBody, hasEmpty }: Notification,
  { refused: failed }: Pick<NotificationReply, 'refused'>,
): RefusedElements {
  if (failed.length === 0) return inBody;
  if (failed.length === servers.length && !hasEmpty) throw nothingTaken(inBody, failed);
  const all = new RefusedList();
  all.addAll(inBody);
  for (const one of failed) {
    const { message } = refusalOfServer(one);
    for (const index of one.server.indexes) all.add(index, one.server.serverId, message);
  }
  return { count: all.count, listed: all.listed.toSorted((a, b) => a.index - b.index) };
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
