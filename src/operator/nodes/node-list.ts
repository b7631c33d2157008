import { pages } from '../../store/paging.js';
import { writePlain } from '../../store/plain-document.js';
import { actorId, type Store } from '../../store/port.js';
import { settledInTime } from '../../system/in-time.js';
import type { NodeView } from '../shapes.js';
import { isoOf } from '../../system/iso.js';

/** The kind of the documents of nodes. They have no machine, and no listing of actors shows them. */
export const NODE = 'node';
const STATE = 'seen';

/** Default time between two writes of a node, ms. */
const EVERY_MS = 3_000;
/** Time after its last write for which a node counts as live, ms. */
export const LIVE_MS = 10_000;
/** Time for which a node that has ended is listed, ms. */
const LISTED_MS = 24 * 60 * 60 * 1000;
/** Maximum time that a stop waits for a write under way, ms. */
const PATIENCE_MS = 500;
const PAGE = 1_000;

export interface NodeListOptions {
  readonly store: Store;
  /** Unique to this process. */
  readonly id: string;
  readonly version: string;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Called with the error of a write. The next one repeats it. */
  readonly onError: (error: unknown) => void;
  /** Time between two writes, ms. */
  readonly everyMs?: number;
}

/** The nodes that share a store: this one, the others, and those that have ended. */
export type NodeList = ReturnType<typeof createNodeList>;

/**
 * Creates the list of the nodes of a store. From `start` on, this node writes its document every three seconds. No other
 * node writes it, so no commit is contended.
 */
export function createNodeList(options: NodeListOptions) {
  const { store, id, version, now, onError, everyMs = EVERY_MS } = options;
  const documentId = idOf(id);
  const startedAt = isoOf(now());
  /** The revision of this node's document: 0 before the first write, undefined if it is not known. */
  let revision: number | undefined = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let closed = false;

  const write = async (address: string): Promise<void> => {
    const expected = revision ?? (await store.load(documentId))?.revision ?? 0;
    revision = undefined;
    const view: NodeView = { id, version, startedAt, seenAt: isoOf(now()), address };
    revision = await writePlain(store, { id: documentId, state: STATE, expected }, view);
  };

  const list = async (): Promise<readonly NodeView[]> => {
    const all: NodeView[] = [];
    for await (const page of pages((after) => store.list({ kind: NODE, after, limit: PAGE }))) {
      all.push(...page.map(({ frequent }) => JSON.parse(frequent) as NodeView));
    }
    return all;
  };

  /** Deletes the documents of nodes that are not listed any more. Each start of a node adds one, and removes the old ones. */
  const tidy = async (): Promise<void> => {
    const old = new Set((await list()).filter((node) => !isListed(node, now())).map((node) => idOf(node.id)));
    for (const one of old) {
      const stored = await store.load(one);
      if (stored === undefined) continue;
      await writePlain(store, { id: one, state: STATE, expected: stored.revision }, undefined);
    }
  };

  const beat = (address: string): Promise<void> => {
    running = write(address)
      .catch(onError)
      .then(() => {
        if (!closed) timer = setTimeout(() => void beat(address), everyMs).unref();
      });
    return running;
  };

  return {
    /** Begins to write. Resolves once the list has this node. `address`: host and port at which it listens. */
    start(address: string): Promise<void> {
      tidy().catch(onError);
      return beat(address);
    },
    /** Resolves with the live nodes, and those that were seen within the last day; the newest first. */
    async nodes(): Promise<readonly NodeView[]> {
      const listed = (await list()).filter((node) => isListed(node, now()));
      return listed.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0));
    },
    /** Resolves with the number of other live nodes. */
    async others(): Promise<number> {
      return (await list()).filter((one) => one.id !== id && isLive(one, now())).length;
    },
    /** Stops writing. A store that does not answer does not hold up the stop. */
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      if (running !== undefined) await settledInTime(running, PATIENCE_MS);
    },
  };
}

function idOf(id: string): string {
  return actorId({ kind: NODE, tenant: 'service', name: id });
}

/** True for a node that counts as live at a time, ms since the epoch. */
export function isLive({ seenAt }: NodeView, at: number): boolean {
  return Date.parse(seenAt) > at - LIVE_MS;
}

function isListed({ seenAt }: NodeView, at: number): boolean {
  return Date.parse(seenAt) > at - LISTED_MS;
}
