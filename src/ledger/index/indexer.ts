import type { Actors } from '../../actors/kind.js';
import { entityAddress, EVERYBODY } from '../addresses.js';
import type { ListedUnder, MinedTransaction } from '../signed-transaction.js';
import { faultOf } from '../verify/judge.js';
import { type BatchPages, entriesOf } from './batch-pages.js';
import {
  type EntityContext,
  type EntityEvent,
  itemText,
  type Recorded,
  type RecordEvent,
  type Recording,
  unindexedOf,
} from './entity-machine.js';
import { addOnce, entityList, type Lists, entityIndexList } from './lists.js';
import { entityIndexer } from './entity-index.js';

/** Lists transactions under their entities (L7), and new entities in the entity indexes (L6). */
export type Indexer = ReturnType<typeof createIndexer>;

/** Returns the indexer of a node. `now` is in ms since the epoch. */
export function createIndexer(batchPages: BatchPages, lists: Lists, now: () => number) {
  const addToIndex = entityIndexer(lists, now);

  /** The entries of a transaction; those of a batch page by page. */
  async function* entriesUnder(listed: ListedUnder) {
    if ('entityId' in listed) {
      const { entityId, from } = listed;
      yield [{ entityId, from, index: undefined }];
      return;
    }
    const paged = await batchPages.paged(listed);
    let next = 0;
    for await (const page of batchPages.texts(listed)) {
      yield entriesOf(page).map(({ entityId }) => {
        const index = next++;
        return { entityId, from: paged[index] ?? 0, index };
      });
    }
  }

  /** Adds the transaction to the list of an entity. */
  const list = (actors: Actors, event: RecordEvent) => {
    const entity = entityList(event.entityId);
    return addOnce<Recorded>(lists, actors, {
      list: entity,
      item: event.item,
      from: event.checked,
      add: (checked) => {
        const record: RecordEvent = { ...event, checked };
        return actors.ask<Recording>(entity.address, record);
      },
      found: async () => {
        const view = await actors.read<EntityContext>(entity.address);
        return { is: 'recorded', unindexed: unindexedOf(view!.context) };
      },
    });
  };

  /** Adds an entity to the entity indexes that do not hold it; `counts`: their counts from before. */
  const addToIndexes = async (
    actors: Actors,
    entityId: string,
    { unindexed }: Recorded,
    counts: RecordEvent['indexes'],
  ): Promise<void> => {
    const missing = Object.entries(unindexed);
    if (missing.length === 0) return;
    await Promise.all(missing.map(([name, from]) => addToIndex(actors, name, entityId, from)));
    // After a first transaction the event waits for the second one: many entities have no second one.
    if (missing.every(([name, from]) => counts[name] === from)) return;
    const indexed: EntityEvent = {
      type: 'indexed',
      now: now(),
      indexes: missing.map(([name]) => name),
    };
    await actors.ask(entityAddress(entityId), indexed);
  };

  /** Counts may be too low while an entity index grows: a longer search is the only effect. */
  const countsOf = async (
    actors: Actors,
    names: readonly string[],
  ): Promise<Readonly<Record<string, number>>> => {
    const counts = await Promise.all(names.map((name) => lists.countAtLeast(actors, entityIndexList(name))));
    return Object.fromEntries(names.map((name, i) => [name, counts[i]!]));
  };

  return {
    /**
     * Adds a mined transaction to the list of each of its entities, once, however often it is called. `chain` is a chain's
     * name. When it resolves, the lists are durable, and a later read of the entity indexes finds the new entities; with
     * `indexed` the entity indexes are durable too.
     */
    async index(actors: Actors, chain: string, transaction: MinedTransaction) {
      const { hash, operation } = transaction.signed;
      const ok = faultOf(transaction) === undefined;
      const names = operation.tenant === undefined ? [EVERYBODY] : [EVERYBODY, operation.tenant];
      let indexed: Promise<unknown> = Promise.resolve();
      // Pages are listed one after the other: the position of an entity's earlier entry shortens the search for the next.
      const positions = new Map<string, number>();
      for await (const page of entriesUnder(operation.listed)) {
        await indexed;
        // Counted again for each page: with old counts every entity of a page would have the new pages searched.
        const counts = await countsOf(actors, names);
        const listed = await Promise.all(
          page.map(({ entityId, from, index }) =>
            list(actors, {
              type: 'record',
              now: now(),
              item: itemText({ chain, hash, index, tenant: operation.tenant }),
              from,
              checked: Math.max(from, positions.get(entityId) ?? 0),
              entityId,
              operation: operation.name,
              transactionHash: hash,
              ok,
              indexes: counts,
            }),
          ),
        );
        indexed = Promise.all(
          page.map(({ entityId }, i) => addToIndexes(actors, entityId, listed[i]!.result, counts)),
        );
        for (const [i, { entityId }] of page.entries()) {
          positions.set(entityId, Math.max(positions.get(entityId) ?? 0, listed[i]!.position));
        }
        // A rejection reaches the caller by `indexed`; nothing awaits it before.
        indexed.catch(() => undefined);
      }
      return { indexed };
    },
  };
}
