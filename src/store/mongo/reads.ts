import type { Collection } from 'mongodb';
import { answerOf, retriedMs } from './answer.js';
import type { ActorDocument } from './document.js';
import { mayPass } from './failure.js';

/** Maximum number of documents that one call reads. */
const BATCH = 256;

/** Maximum number of concurrent calls: what is asked for meanwhile shares the next one. */
const CONCURRENT = 2;

/** Reads a document by its id. Rejects with the driver's error. */
export type ReadDocument = (id: string) => Promise<ActorDocument | undefined>;

/** A document that somebody waits for. */
interface Asked {
  readonly resolve: (document: ActorDocument | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const idOf = ({ _id: id }: ActorDocument): string => id;

/** Creates the reader of documents: what is asked for in one turn of the event loop, or while calls run, shares a call. */
export function batchedReads(actors: Collection<ActorDocument>, timeoutMs: number): ReadDocument {
  let waiting = new Map<string, Asked[]>();
  let calls = 0;
  let scheduled = false;

  const flush = (): void => {
    scheduled = false;
    while (waiting.size > 0 && calls < CONCURRENT) {
      const all = [...waiting];
      waiting = new Map(all.slice(BATCH));
      calls += 1;
      void answer(new Map(all.slice(0, BATCH))).finally(() => {
        calls -= 1;
        flush();
      });
    }
  };

  const answer = async (asked: ReadonlyMap<string, readonly Asked[]>): Promise<void> => {
    try {
      const ids = [...asked.keys()];
      const found = actors.find({ _id: { $in: ids } }, { batchSize: ids.length });
      const documents = await answerOf(found.toArray(), retriedMs(timeoutMs));
      const byId = new Map(documents.map((document) => [idOf(document), document]));
      for (const [id, all] of asked) for (const { resolve } of all) resolve(byId.get(id));
    } catch (error) {
      // A document that cannot be read fails alone.
      if (asked.size > 1 && !mayPass(error)) for (const one of asked) await answer(new Map([one]));
      else for (const all of asked.values()) for (const { reject } of all) reject(error);
    }
  };

  return (id) =>
    new Promise((resolve, reject) => {
      const asked = waiting.get(id);
      if (asked !== undefined) asked.push({ resolve, reject });
      else waiting.set(id, [{ resolve, reject }]);
      if (scheduled || calls >= CONCURRENT) return;
      scheduled = true;
      setImmediate(flush);
    });
}
