import { hash } from 'node:crypto';
import { contextIn } from '../actors/behavior.js';
import { DELIVERY, type DeliveryContext, isOfSubscription } from '../delivery/delivery.js';
import { PENDING } from '../policy/deletion/server-remains.js';
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
  const servers = new ReadServers();
  return (document) => {
    const { kind, tenant, name } = addressOf(document.id);
    const serverOf = (server: string) => servers.get(actorId({ kind: SERVER, tenant, name: server }));
    if (kind === SERVER) {
      servers.set(document.id, figuresOf(document));
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
    return kind === DELIVERY && isLater(document, serverOf) ? undefined : document;
  };
}

/**
 * True for a message that its server handed over after the server was read. If the server made the message before, the outbox that
 * was read has it.
 */
function isLater(delivery: Listed, serverOf: (name: string) => ReadServer | undefined): boolean {
  const { about } = contextIn(delivery) as DeliveryContext;
  if (!isOfSubscription(about) || about.revision === undefined) return false;
  const server = serverOf(about.server);
  // What waits for a server that is deleted is deleted before its document.
  return server === undefined ? PENDING.includes(delivery.state) : about.revision > server.revision;
}

function figuresOf(document: Listed): ReadServer {
  // An older release may have written it.
  const { recorded = 0, factId = 0, closed = [], trend } = contextIn(document) as Partial<ServerContext>;
  const [minute = -Infinity] = closed[0]?.figures ?? trend ?? [];
  return { revision: document.revision, recorded, factId, openMinute: minute };
}

/** Numbers of an entry: the key, then those of the server. */
const ENTRY = 5;
/** Entries at first. */
const LEAST = 1_024;

/** Servers by the ids of their documents, as numbers: a million of them take 84 MB. */
class ReadServers {
  /** Entries with the key 0 are free. A key is in the first free entry from its own place on. */
  #entries = new Float64Array(LEAST * ENTRY);
  #size = 0;

  set(id: string, { revision, recorded, factId, openMinute }: ReadServer): void {
    this.#size += 1;
    if (this.#size * ENTRY * 4 > this.#entries.length * 3) this.#grow();
    this.#put([keyOf(id), revision, recorded, factId, openMinute]);
  }

  get(id: string): ReadServer | undefined {
    const at = this.#find(keyOf(id));
    const [key, revision, recorded, factId, openMinute] = this.#entries.subarray(at, at + ENTRY);
    if (key === 0) return undefined;
    return { revision: revision!, recorded: recorded!, factId: factId!, openMinute: openMinute! };
  }

  /** Returns where the entry of a key is, or the free one that it would get. */
  #find(key: number): number {
    const entries = this.#entries;
    let at = (key * ENTRY) % entries.length;
    while (entries[at] !== 0 && entries[at] !== key) at = (at + ENTRY) % entries.length;
    return at;
  }

  #put(entry: ArrayLike<number>): void {
    this.#entries.set(entry, this.#find(entry[0]!));
  }

  #grow(): void {
    const before = this.#entries;
    this.#entries = new Float64Array(before.length * 2);
    for (let at = 0; at < before.length; at += ENTRY)
      if (before[at] !== 0) this.#put(before.subarray(at, at + ENTRY));
  }
}

/** Returns 48 bits of a hash, from 1 on. Two of a million ids have one number with a chance of 0.2 %. */
function keyOf(id: string): number {
  return 1 + Number.parseInt(hash('sha256', id).slice(0, 12), 16);
}
