import type { Collection } from 'mongodb';
import type { Listed, Reading } from '../port.js';
import { type ActorDocument, listed, stored } from './document.js';
import { keptTime, reservedIn } from './numbers.js';
import { PROBE_KIND } from './probe.js';

/** Documents in one page. */
const PAGE = 200;
/** Sorts after the ids of the documents that are no actors, which begin with a slash, and before all others. */
const FIRST = '0';

/** Opens a reading: see `Store.readAll`. `ask` runs a read. */
export async function readAll(
  actors: Collection<ActorDocument>,
  ask: <T>(question: () => Promise<T>) => Promise<T>,
): Promise<Reading> {
  const [reserved, time] = await ask(() => Promise.all([reservedIn(actors), keptTime(actors)]));
  return {
    reserved,
    keptTime: time,
    async *pages() {
      for (let after = FIRST; ;) {
        const found = await ask(() =>
          actors
            .find({ _id: { $gt: after }, kind: { $ne: PROBE_KIND } }, { sort: { _id: 1 }, limit: PAGE })
            .toArray(),
        );
        const items = found.map((document): Listed => ({ ...stored(document), id: listed(document).id }));
        if (items.length > 0) yield items;
        if (items.length < PAGE) return;
        after = items.at(-1)!.id;
      }
    },
    close: () => undefined,
  };
}
