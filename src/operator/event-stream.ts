import { Refusal } from '../errors.js';
import {
  createEventRing,
  type EventFilter,
  type EventRing,
  eventText,
  type NodeEvent,
} from './event-ring.js';

/** The live events of this node, and those who read them. */
export type EventStream = ReturnType<typeof createEventStream>;

/** A connection that reads events. */
export interface Reader {
  readonly filter: EventFilter;
  /** The tenant that reads. undefined: an operator. */
  readonly party: string | undefined;
  send(bytes: Buffer): void;
  /** Bytes that were sent and are not read yet. */
  unread(): number;
  /** Ends the stream. The client can still read the bytes that were sent. */
  end(): void;
  /** Closes the connection at once. */
  cut(): void;
}

export interface EventStreamOptions {
  /** First part of the ids of events. Unique to this process. */
  readonly node: string;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly limits?: Partial<EventStreamLimits>;
}

const LIMITS = {
  /** Maximum number of events that a reader can resume from. */
  events: 1_000,
  /** Maximum number of characters that these events hold. */
  characters: 4 * 1024 * 1024,
  readers: 200,
  /** Maximum number of bytes that a reader leaves unread. */
  unread: 1024 * 1024,
  /** Time between two writes to a reader. */
  flushMs: 100,
  /**
   * Time between two comments. It is shorter than the time without traffic after which proxies close a connection.
   */
  heartbeatMs: 15_000,
  /** Longest stream. A client resumes with a new request, whose credentials are checked again. */
  longestMs: 60 * 60 * 1000,
};

/** Limits of a stream. */
export type EventStreamLimits = Readonly<typeof LIMITS>;

interface Open {
  readonly reader: Reader;
  /** The newest event that the reader has, or does not want. */
  position: number;
  readonly since: number;
}

/** Creates the stream of a node. */
export function createEventStream({ node, now, limits: given }: EventStreamOptions) {
  const limits = { ...LIMITS, ...given };
  const ring = createEventRing({ node, most: limits.events, characters: limits.characters });
  const readers = new Set<Open>();
  /** By server: the newest facts that are not sent yet. */
  const newestFacts = new Map<string, () => object>();
  let flushing: NodeJS.Timeout | undefined;
  let closed = false;

  const remove = (open: Open): void => void readers.delete(open);

  const send = (open: Open, bytes: Buffer): void => {
    if (bytes.length > 0) open.reader.send(bytes);
    if (open.reader.unread() <= limits.unread) return;
    remove(open);
    open.reader.cut();
  };

  /**
   * Sends the events that a reader does not have. If they are no longer in the ring, or too large, the reader gets
   * `hello` with `resumed` false, and reads everything again.
   */
  const catchUp = (open: Open, after: EventRing['after']): void => {
    const bytes = after(open.position, open.reader.filter);
    open.position = ring.last;
    send(open, bytes === undefined || bytes.length > limits.unread ? hello(false) : bytes);
  };

  const hello = (resumed: boolean, position = ring.last): Buffer =>
    eventText('hello', { resumed }, ring.idOf(position));

  const flush = (): void => {
    flushing = undefined;
    for (const [key, data] of newestFacts) {
      const bytes = eventText('facts', data());
      for (const open of readers) if (serverOf(open.reader.filter) === key) send(open, bytes);
    }
    newestFacts.clear();
    const after = shared(ring);
    for (const open of readers) catchUp(open, after);
  };

  const schedule = (): void => {
    if (readers.size > 0) flushing ??= setTimeout(flush, limits.flushMs).unref();
  };

  /**
   * Sends the position of each reader as an id. A reader that resumes begins there, after the events that it does not
   * want.
   */
  const beat = (): void => {
    const oldest = now() - limits.longestMs;
    for (const open of readers) {
      send(open, Buffer.from(`: alive\nid: ${ring.idOf(open.position)}\n\n`));
      if (open.since > oldest) continue;
      remove(open);
      open.reader.end();
    }
  };
  const heartbeat = setInterval(beat, limits.heartbeatMs).unref();

  /** A party may have as many readers as are free, so there is always room for another party. */
  const refuseTooMany = ({ party }: Reader): void => {
    const free = limits.readers - readers.size;
    const own = party === undefined ? 0 : [...readers].filter(({ reader }) => reader.party === party).length;
    if (!closed && own < free) return;
    throw new Refusal(
      'unavailable',
      closed
        ? 'the service is stopping'
        : `too many event streams are open; a node has at most ${limits.readers}`,
    );
  };

  return {
    /** Adds an event. Readers get it within `flushMs`. */
    publish(event: NodeEvent): void {
      ring.add(event);
      schedule();
    },
    /** True if someone follows the facts of a server. */
    follows(tenant: string, server: string): boolean {
      for (const { reader } of readers) {
        if (reader.filter.server === server && reader.filter.tenant === tenant) return true;
      }
      return false;
    },
    /** Sends the newest facts of a server to those who follow it. Of several calls within `flushMs` the last one counts. */
    facts(tenant: string, server: string, data: () => object): void {
      newestFacts.set(`${tenant}/${server}`, data);
      schedule();
    },
    /**
     * Adds a reader, and returns the function that removes it. `lastId` is the id of the last event that the reader has.
     * Throws `Refusal` (`unavailable`) if there are too many readers, or if the service is stopping.
     */
    open(reader: Reader, lastId: string | undefined): () => void {
      refuseTooMany(reader);
      const position = lastId === undefined ? ring.last : ring.positionOf(lastId);
      const open: Open = { reader, position: position ?? ring.last, since: now() };
      readers.add(open);
      reader.send(hello(position !== undefined, open.position));
      catchUp(open, ring.after);
      return () => remove(open);
    },
    /** Number of readers. */
    get readers() {
      return readers.size;
    },
    /** Ends all readers, and refuses new ones. */
    close(): Promise<void> {
      closed = true;
      clearInterval(heartbeat);
      clearTimeout(flushing);
      for (const { reader } of readers) reader.end();
      readers.clear();
      return Promise.resolve();
    },
  };
}

/** Returns the server that a reader follows. undefined if it names no single one. */
function serverOf({ tenant, server }: EventFilter): string | undefined {
  return tenant === undefined || server === undefined ? undefined : `${tenant}/${server}`;
}

/** Returns `after` for many readers: those of the same events share one text. */
function shared(ring: EventRing): EventRing['after'] {
  const known = new Map<string, Buffer | undefined>();
  return (position, filter) => {
    const key = JSON.stringify([position, filter.tenant ?? null, filter.server ?? null]);
    if (!known.has(key)) known.set(key, ring.after(position, filter));
    return known.get(key);
  };
}
