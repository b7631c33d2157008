import { Unreadable } from '../../actors/behavior.js';
import { UNREADABLE } from '../../actors/reading.js';
import { setImmediate } from 'node:timers/promises';
import type { Hex } from '../../system/chain-bytes.js';
import type { Store } from '../../store/port.js';
import { inBatches } from '../../system/in-batches.js';
import type { Actors } from '../../actors/kind.js';
import { entityAddress, EVERYBODY } from '../addresses.js';
import { type BatchPages, entriesOf } from '../index/batch-pages.js';
import { type EntityContext, type Item, itemOf } from '../index/entity-machine.js';
import { entityList, type Lists, entityIndexList } from '../index/lists.js';
import { BATCH_PAGE } from '../operation.js';
import type { Page } from '../port.js';
import { loadBySignature, loadTransaction } from '../transaction/transaction-kind.js';
import { receiptText } from './receipt.js';
import type { StoredProofs } from '../verify/verify.js';
import type { MinedTransaction } from '../signed-transaction.js';

/** What readers of the ledger read with. */
export interface ReaderOptions {
  readonly actors: Actors;
  readonly store: Store;
  readonly lists: Lists;
  readonly batchPages: BatchPages;
}

/** Receipts that are read in one turn of the event loop. */
const RECEIPTS_AT_ONCE = 20;

/** Reads receipts: the lists of L6 and L7, and single ones. */
export type ReceiptReader = ReturnType<typeof createReceiptReader>;

/** Returns the reader. It reads from the store piece by piece: an answer need not fit in memory. */
export function createReceiptReader({ actors, store, lists, batchPages }: ReaderOptions) {
  /**
   * Returns a function for one request that gives the text of a receipt in the list of an entity; undefined while a
   * reorganisation has removed it. Neighbours in a list are often entries of one page of a batch, which is read once.
   */
  const createShow = () => {
    let last: { readonly name: string; readonly entries: Promise<readonly unknown[]> } | undefined;
    const entryOf = async (batch: string, index: number): Promise<unknown> => {
      const number = Math.floor(index / BATCH_PAGE);
      const name = `${batch}/${number}`;
      if (last?.name !== name) {
        const entries = batchPages.text(batch, number).then(entriesOf);
        last = { name, entries };
      }
      return (await last.entries)[index % BATCH_PAGE];
    };
    return async (item: Item): Promise<string | undefined> => {
      const { signed, receipt } = (await loadTransaction(store, item)) ?? {};
      if (signed === undefined || receipt === undefined) return undefined;
      const transaction = { signed, receipt };
      const { index } = item;
      const { listed } = signed.operation;
      if (index === undefined || 'entityId' in listed) return [...receiptText(transaction)].join('');
      return [...receiptText(transaction, [JSON.stringify(await entryOf(listed.batch, index))])].join('');
    };
  };

  /** Returns the reader of entities for one request: the transactions of `tenant`, or all of them. */
  const createReader = (tenant: string | undefined) => {
    const show = createShow();

    async function* details(entityId: string, { offset, limit }: Page): AsyncGenerator<string> {
      const list = entityList(entityId);
      const count = await lists.count(actors, list);
      // Without a tenant every item counts, and the items before the offset are not read.
      let skip = tenant === undefined ? 0 : offset;
      let left = limit;
      let separator = '';
      for await (const listed of lists.slice(actors, list, tenant === undefined ? offset : 0, count)) {
        const items = listed.map(itemOf).filter((item) => tenant === undefined || item.tenant === tenant);
        const wanted = items.slice(skip, skip + left);
        skip = Math.max(0, skip - items.length);
        left -= wanted.length;
        for await (const batch of inBatches(wanted, RECEIPTS_AT_ONCE)) {
          const receipts = await Promise.all(batch.map(show));
          const texts = receipts.filter((text) => text !== undefined);
          if (texts.length > 0) yield separator + texts.join(',');
          if (texts.length > 0) separator = ',';
        }
        if (left <= 0) return;
        await setImmediate();
      }
    }

    return async function* record(entityId: string, page: Page): AsyncGenerator<string> {
      yield `{"entityId":${JSON.stringify(entityId)},"txDetails":[`;
      let end = ']}';
      try {
        yield* details(entityId, page);
      } catch (error) {
        // One entity must not end the listing of all.
        if (!(error instanceof Unreadable)) throw error;
        end = `],"unreadable":${JSON.stringify(UNREADABLE)}}`;
      }
      yield end;
    };
  };

  return {
    /** Returns the receipt of a transaction, of a batch with all entries: JSON text in pieces. */
    async receipt(transaction: MinedTransaction): Promise<Iterable<string>> {
      const { listed } = transaction.signed.operation;
      if ('entityId' in listed) return receiptText(transaction);
      const pages: string[] = [];
      for await (const page of batchPages.texts(listed)) pages.push(page.slice(1, -1));
      return receiptText(transaction, pages);
    },

    /** See `Ledger`. */
    async entities({ offset, limit }: Page, tenant: string | undefined) {
      const list = entityIndexList(tenant ?? EVERYBODY);
      const count = await lists.count(actors, list);
      const record = createReader(tenant);
      return (async function* () {
        yield `{"offset":${offset},"limit":${limit},"count":${count},"records":[`;
        let separator = '';
        for await (const entityIds of lists.slice(actors, list, offset, Math.min(offset + limit, count))) {
          for (const entityId of entityIds) {
            yield separator;
            separator = ',';
            yield* record(entityId, { offset: 0, limit: Infinity });
          }
        }
        yield ']}';
      })();
    },

    /** See `Ledger`. */
    async transactions(
      entityId: string,
      { offset = 0, limit = Infinity }: Partial<Page>,
      tenant: string | undefined,
    ) {
      const view = await actors.read<EntityContext>(entityAddress(entityId));
      // `hasOwn`: a tenant may have the name `constructor`.
      if (view === undefined || !Object.hasOwn(view.context.indexes, tenant ?? EVERYBODY)) return undefined;
      return createReader(tenant)(entityId, { offset, limit });
    },
  };
}

/** Returns the lookup of the proofs of batches that this service has recorded. `chain.name`: a chain's name. */
export function storedProofs(
  store: Store,
  batchPages: BatchPages,
  chain: { readonly name: string },
): StoredProofs {
  return async (transactionHash, hashes) => {
    const found = new Map<Hex, readonly Hex[]>();
    // A replacement has its content in the transaction that it replaces.
    const signed = (await loadBySignature(store, { chain: chain.name, hash: transactionHash }))?.signed;
    if (signed === undefined || 'entityId' in signed.operation.listed) return found;
    const [only] = hashes;
    for await (const text of batchPages.texts(signed.operation.listed)) {
      const isWorthReading = hashes.size > 1 || text.includes(only!);
      for (const { hash, proof } of isWorthReading ? entriesOf(text) : [])
        if (hashes.has(hash)) found.set(hash, proof);
      if (found.size === hashes.size) break;
    }
    return found;
  };
}
