import type { Collection, Filter } from 'mongodb';
import type { Listed, Reading } from '../port.js';
import { type ActorDocument, listed, stored } from './document.js';
import { keptTime, reservedIn } from './own-documents.js';
import { PROBE_KIND } from './probe.js';

/** Documents in one page. */
const PAGE = 200;
/** Sorts after the ids of the documents that are no actors, which begin with a slash, and before all others. */
const START = '0';

/** Opens a reading: see `Store.readAll`. `ask` runs a read. */
export async function readAll(
  actors: Collection<ActorDocument>,
  first: readonly string[],
  ask: <T>(question: () => Promise<T>) => Promise<T>,
): Promise<Reading> {
  const [reserved, time] = await ask(() => Promise.all([reservedIn(actors), keptTime(actors)]));
  return {
    isOneMoment: false,
    reserved,
    keptTime: time,
    async *pages() {
      const parts: readonly Filter<ActorDocument>[] = [
        // `0` follows the slash: after all documents of the kind.
        ...first.map((kind) => ({ _id: { $gt: `${kind}/`, $lt: `${kind}0` } })),
        { _id: { $gt: START }, kind: { $nin: [...first, PROBE_KIND] } },
      ];
      for (const part of parts) yield* pagesOf(actors, part, ask);
    },
    close: () => undefined,
  };
}

async function* pagesOf(
  actors: Collection<ActorDocument>,
  part: Filter<ActorDocument>,
  ask: <T>(question: () => Promise<T>) => Promise<T>,
): AsyncGenerator<readonly Listed[], void> {
  for (let after = START; ;) {
    const rest = { $and: [part, { _id: { $gt: after } }] };
    const found = await ask(() => actors.find(rest, { sort: { _id: 1 }, limit: PAGE }).toArray());
    const items = found.map((document): Listed => ({ ...stored(document), id: listed(document).id }));
    if (items.length > 0) yield items;
    if (items.length < PAGE) return;
    after = items.at(-1)!.id;
  }
}
