import { setImmediate } from 'node:timers/promises';
import { actorId } from '../store/port.js';
import type { Store } from '../store/port.js';
import type { Actors } from '../actors/runtime.js';
import { entityAddress, EVERYBODY, registerAddress, transactionAddress } from './addresses.js';
import { ENTITY_PAGE } from './entity-machine.js';
import type { EntityContext } from './entity-machine.js';
import type { Filing } from './filing.js';
import { itemOf } from './item.js';
import type { Item } from './item.js';
import type { ListOf, Lists } from './lists.js';
import { BATCH_PAGE } from './operation.js';
import type { Ledger, Page } from './port.js';
import { receiptText } from './receipt.js';
import { REGISTER_PAGE } from './register-machine.js';
import type { TransactionContext } from './transaction-machine.js';

export interface ReadingOptions {
  readonly actors: () => Actors;
  readonly store: Store;
  readonly lists: Lists;
  readonly filing: Filing;
}

/** What is read of the ledger: operations L6 and L7, and single receipts. */
export interface Reading extends Pick<Ledger, 'entities' | 'transactions'> {
  /** The whole receipt of a transaction, with all entries of a batch; undefined while there is none. */
  receipt(
    transaction: Pick<Item, 'chain' | 'hash'>,
    known: TransactionContext | undefined,
  ): Promise<Iterable<string> | undefined>;
}

/** Makes the reading, straight on the store: nothing that is read need fit in memory. */
export function createReading({ actors, store, lists, filing }: ReadingOptions): Reading {
  const load = async (chain: string, hash: Item['hash']): Promise<TransactionContext | undefined> => {
    const stored = await store.load(actorId(transactionAddress(chain, hash)));
    if (stored === undefined) return undefined;
    return {
      ...(JSON.parse(stored.cold) as object),
      ...(JSON.parse(stored.hot) as object),
    } as TransactionContext;
  };

  /** The receipt as the list of one entity shows it; undefined while a reorganisation has taken it. */
  const shown = async ({ chain, hash, index }: Item): Promise<string | undefined> => {
    const context = await load(chain, hash);
    if (context?.receipt === undefined) return undefined;
    const { listed } = context.signed!.operation;
    if (index === undefined || 'entityId' in listed) return [...receiptText(context)].join('');
    const page = JSON.parse(
      await filing.batchPage(listed.batch, Math.floor(index / BATCH_PAGE)),
    ) as unknown[];
    return [...receiptText(context, [JSON.stringify(page[index % BATCH_PAGE])])].join('');
  };

  async function* details(
    entityId: string,
    { offset, limit }: Page,
    tenant: string | undefined,
  ): AsyncGenerator<string> {
    const list: ListOf = { address: entityAddress(entityId), pageLength: ENTITY_PAGE };
    const count = await lists.count(list);
    // Without a tenant every item counts, and those before the offset need not be looked at.
    let skip = tenant === undefined ? 0 : offset;
    let left = limit;
    let separator = '';
    for await (const texts of lists.slice(list, tenant === undefined ? offset : 0, count)) {
      const items = texts.map(itemOf).filter((item) => tenant === undefined || item.tenant === tenant);
      const wanted = items.slice(skip, skip + left);
      skip = Math.max(0, skip - items.length);
      left -= wanted.length;
      const receipts = (await Promise.all(wanted.map(shown))).filter((text) => text !== undefined);
      if (receipts.length > 0) yield separator + receipts.join(',');
      if (receipts.length > 0) separator = ',';
      if (left <= 0) return;
    }
  }

  async function* record(entityId: string, page: Page, tenant: string | undefined): AsyncGenerator<string> {
    yield `{"entityId":${JSON.stringify(entityId)},"txDetails":[`;
    yield* details(entityId, page, tenant);
    yield ']}';
  }

  return {
    async receipt({ chain, hash }, known) {
      const context = known ?? (await load(chain, hash));
      if (context?.receipt === undefined) return undefined;
      const { listed } = context.signed!.operation;
      if ('entityId' in listed) return receiptText(context);
      const pages: string[] = [];
      for (let number = 0; number < listed.pages; number += 1) {
        pages.push((await filing.batchPage(listed.batch, number)).slice(1, -1));
        await setImmediate();
      }
      return receiptText(context, pages);
    },

    async entities({ offset, limit }, tenant) {
      const list: ListOf = { address: registerAddress(tenant ?? EVERYBODY), pageLength: REGISTER_PAGE };
      const count = await lists.count(list);
      return (async function* () {
        yield `{"offset":${offset},"limit":${limit},"count":${count},"records":[`;
        let separator = '';
        for await (const entityIds of lists.slice(list, offset, Math.min(offset + limit, count))) {
          for (const entityId of entityIds) {
            yield separator;
            separator = ',';
            yield* record(entityId, { offset: 0, limit: Infinity }, tenant);
          }
        }
        yield ']}';
      })();
    },

    async transactions(entityId, { offset = 0, limit = Infinity }, tenant) {
      const view = await actors().read<EntityContext>(entityAddress(entityId));
      // Of its own: a tenant may be called `constructor`.
      if (view === undefined || !Object.hasOwn(view.context.registers, tenant ?? EVERYBODY)) return undefined;
      return record(entityId, { offset, limit }, tenant);
    },
  };
}
