import type { Actors } from '../../actors/runtime.js';
import type { Hex } from '../../chain/port.js';
import { entityAddress, EVERYBODY } from '../addresses.js';
import { entriesOf } from './batch-pages.js';
import type { BatchPages } from './batch-pages.js';
import { unregisteredOf } from './entity-machine.js';
import type { EntityContext, EntityEvent, Recording, RecordEvent, Unregistered } from './entity-machine.js';
import { itemText } from './item.js';
import { entityList, registerList } from './lists.js';
import type { Lists } from './lists.js';
import { registering } from './registering.js';
import type { ListedUnder } from '../transaction/signed-operation.js';
import type { RecordedTransaction } from '../transaction/transaction-machine.js';

export interface IndexingOptions {
  readonly actors: () => Actors;
  readonly batchPages: BatchPages;
  readonly lists: Lists;
  readonly now: () => number;
}

/** Puts transactions where they are found: under their entities, and new entities into the registers. */
export interface Indexing {
  /**
   * Has every entity of a mined transaction list it, once, however often it is asked. Those that are new are on their
   * way into the registers then, ahead of whoever reads these from now on, and durably there with `registered`.
   */
  file(chain: string, transaction: RecordedTransaction): Promise<{ readonly registered: Promise<unknown> }>;
}

interface Filed {
  readonly entityId: string;
  readonly from: number;
  readonly item: string;
}

/** Makes the indexing on a runtime. */
export function createIndexing({ actors, batchPages, lists, now }: IndexingOptions): Indexing {
  async function* entries(
    listed: ListedUnder,
    item: (index: number | undefined) => string,
  ): AsyncGenerator<readonly Filed[]> {
    if ('entityId' in listed) {
      const { entityId, from } = listed;
      yield [{ entityId, from, item: item(undefined) }];
      return;
    }
    const paged = await batchPages.paged(listed);
    let index = 0;
    for await (const page of batchPages.texts(listed)) {
      yield entriesOf(page).map(({ entityId }) => ({
        entityId,
        from: paged[index] ?? 0,
        item: item(index++),
      }));
    }
  }

  const register = registering({ actors, lists, now });

  /**
   * The registers that the entity still has to be put into, once it lists the transaction, which it does not before
   * `position`.
   */
  const list = async (event: RecordEvent): Promise<{ unregistered: Unregistered; position: number }> => {
    const entity = entityList(event.entityId);
    for (let position = event.checked; ;) {
      const reply = await actors().ask<Recording>(entity.address, {
        ...event,
        checked: position,
      } as RecordEvent);
      if (reply.is === 'recorded') return { unregistered: reply.unregistered, position };
      const found = await lists.find(entity, event.item, position, reply.below);
      position = found ?? reply.below;
      if (found === undefined) continue;
      const view = await actors().read<EntityContext>(entity.address);
      return { unregistered: unregisteredOf(view!.context), position };
    }
  };

  /** Puts an entity into the registers that it is missing in; `known`: how many entities these had before. */
  const registerAll = async (
    entityId: string,
    unregistered: Unregistered,
    known: RecordEvent['registers'],
  ): Promise<void> => {
    const missing = Object.entries(unregistered);
    if (missing.length === 0) return;
    await Promise.all(missing.map(([name, from]) => register(name, entityId, from)));
    // Many an entity has one transaction only: it is told when it comes again.
    if (missing.every(([name, from]) => known[name] === from)) return;
    const registers = missing.map(([name]) => name);
    const registered: EntityEvent = { type: 'registered', now: now(), registers };
    await actors().ask(entityAddress(entityId), registered);
  };

  const counts = async (names: readonly string[]): Promise<Readonly<Record<string, number>>> => {
    const known = await Promise.all(names.map((name) => registerCount(lists, name)));
    return Object.fromEntries(names.map((name, i) => [name, known[i]!]));
  };

  return {
    async file(chain, { signed, receipt }) {
      const { hash, operation } = signed;
      const names = operation.tenant === undefined ? [EVERYBODY] : [EVERYBODY, operation.tenant];
      const item = (index: number | undefined): string =>
        itemText({ chain, hash, index, tenant: operation.tenant });
      let registered: Promise<unknown> = Promise.resolve();
      // Each page is listed before the next: what an entity lists of this one lies behind what it lists of those before, and
      // an entity that comes many times is not looked through as often.
      const positions = new Map<string, number>();
      for await (const page of entries(operation.listed, item)) {
        // Anew for each page: a register would else be searched for each entity of a batch that makes it grow.
        await registered;
        const registers = await counts(names);
        const filed = await Promise.all(
          page.map(({ entityId, from, item: text }) =>
            list({
              type: 'record',
              now: now(),
              item: text,
              from,
              checked: Math.max(from, positions.get(entityId) ?? 0),
              entityId,
              operation: operation.name,
              transactionHash: hash satisfies Hex,
              ok: receipt.status === '0x1',
              registers,
            }),
          ),
        );
        registered = Promise.all(
          page.map(({ entityId }, i) => registerAll(entityId, filed[i]!.unregistered, registers)),
        );
        for (const [i, { entityId }] of page.entries()) {
          positions.set(entityId, Math.max(positions.get(entityId) ?? 0, filed[i]!.position));
        }
        // Whoever waits for it learns of a failure; in between nobody does.
        registered.catch(() => undefined);
      }
      return { registered };
    },
  };
}

/** A count that is too low does no harm: the register may be in the middle of growing. */
function registerCount(lists: Lists, name: string): Promise<number> {
  return lists.countAtLeast(registerList(name));
}
