import { hash } from 'node:crypto';
import { contextIn } from '../actors/behavior.js';
import { DELIVERY, type DeliveryContext, isOfSubscription, PENDING_STATES } from '../delivery/delivery.js';
import { HISTORY, historyUpTo } from '../policy/explain/history-machine.js';
import type { ServerContext } from '../policy/server/server-context.js';
import { SERVER } from '../policy/server/server-kind.js';
import { TREND, trendUpTo } from '../policy/trend/trend-machine.js';
import { actorId, addressOf, type Listed } from '../store/port.js';

/** A server as it was read. */
interface ReadServer {
  readonly revision: number;
  /** Number of its transitions. */
  readonly recorded: number;
  /** Number of its last fact. */
  readonly factId: number;
  /** The first minute that is not in its trend yet, since the epoch; -Infinity: it has had no minute. */
  readonly openMinute: number;
}

/**
 * Returns a function that is given the documents of a store one after the other, as they are read while nodes work: servers first.
 * It returns a document as it was when its server was read; undefined if the document is newer.
 *
 * A server is read before what it hands over: messages, transitions, minutes. Facts that it takes in between are not in the state
 * that was read. After an import it would give their numbers to other facts, and the history and the trend would ignore these as
 * known.
 */
export function createCut(): (document: Listed) => Listed | undefined {
  const servers = new Table(5);
  const subscriptions = new Table(1);
  return (document) => {
    const { kind, tenant, name } = addressOf(document.id);
    const serverOf = (server: string): ReadServer | undefined => {
      const entry = servers.get(actorId({ kind: SERVER, tenant, name: server }));
      if (entry === undefined) return undefined;
      const [, revision, recorded, factId, openMinute] = entry;
      return { revision: revision!, recorded: recorded!, factId: factId!, openMinute: openMinute! };
    };
    if (kind === SERVER) {
      const context = contextIn(document) as Partial<ServerContext>;
      const { revision, recorded, factId, openMinute } = figuresOf(document.revision, context);
      servers.set(document.id, [revision, recorded, factId, openMinute]);
      for (const { id } of context.subscriptions ?? []) subscriptions.set(id, []);
      return document;
    }
    if (kind === HISTORY) {
      // The number of the part follows the name of the server.
      const server = serverOf(name.slice(0, name.lastIndexOf('/')));
      return server && historyUpTo(document, server.recorded);
    }
    if (kind === TREND) {
      const server = serverOf(name);
      return server && trendUpTo(document, server.factId, server.openMinute);
    }
    const isRead = (subscriptionId: string): boolean => subscriptions.get(subscriptionId) !== undefined;
    return kind === DELIVERY && isLater(document, serverOf, isRead) ? undefined : document;
  };
}

/**
 * True for a message that its server handed over after the server was read. If the server made the message before, the outbox that
 * was read has it. `isRead` tells whether a server that was read has a subscription.
 */
function isLater(
  delivery: Listed,
  serverOf: (name: string) => ReadServer | undefined,
  isRead: (subscriptionId: string) => boolean,
): boolean {
  const { about } = contextIn(delivery) as DeliveryContext;
  if (!isOfSubscription(about) || about.revision === undefined) return false;
  const server = serverOf(about.server);
  if (server !== undefined && about.revision <= server.revision) return false;
  // A server that is made again by another node may have lower revisions than before. Of the server before, no message waits: its
  // deletion has deleted them. What was sent is of subscriptions that are gone.
  return PENDING_STATES.includes(delivery.state) || (server !== undefined && isRead(about.subscriptionId));
}

/** Returns what a message, a history and a trend are compared with. An older release may have written the context. */
function figuresOf(revision: number, context: Partial<ServerContext>): ReadServer {
  const { recorded = 0, factId = 0, closed = [], trend } = context;
  const [openMinute = -Infinity] = closed[0]?.figures ?? trend ?? [];
  return { revision, recorded, factId, openMinute };
}

/** Entries at first. */
const LEAST = 1_024;

/**
 * Numbers by ids. An entry is the key of its id, then its numbers. A million servers take 84 MB, and a million subscriptions 17 MB.
 */
class Table {
  readonly #width: number;
  /** Entries with the key 0 are free. A key is in the first free entry from its own place on. */
  #entries: Float64Array;
  #size = 0;

  /** `width`: the numbers of an entry, its key included. */
  constructor(width: number) {
    this.#width = width;
    this.#entries = new Float64Array(LEAST * width);
  }

  set(id: string, numbers: readonly number[]): void {
    this.#size += 1;
    if (this.#size * this.#width * 4 > this.#entries.length * 3) this.#grow();
    this.#put([keyOf(id), ...numbers]);
  }

  /** Returns the entry of an id; undefined: it has none. */
  get(id: string): (ArrayLike<number> & Iterable<number>) | undefined {
    const at = this.#find(keyOf(id));
    return this.#entries[at] === 0 ? undefined : this.#entries.subarray(at, at + this.#width);
  }

  /** Returns where the entry of a key is, or the free one that it would get. */
  #find(key: number): number {
    const entries = this.#entries;
    let at = (key * this.#width) % entries.length;
    while (entries[at] !== 0 && entries[at] !== key) at = (at + this.#width) % entries.length;
    return at;
  }

  #put(entry: ArrayLike<number>): void {
    this.#entries.set(entry, this.#find(entry[0]!));
  }

  #grow(): void {
    const before = this.#entries;
    this.#entries = new Float64Array(before.length * 2);
    for (let at = 0; at < before.length; at += this.#width)
      if (before[at] !== 0) this.#put(before.subarray(at, at + this.#width));
  }
}

/** Returns 48 bits of a hash, from 1 on. Two of a million ids have one number with a chance of 0.2 %. */
function keyOf(id: string): number {
  return 1 + Number.parseInt(hash('sha256', id).slice(0, 12), 16);
}
