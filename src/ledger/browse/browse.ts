import { setImmediate } from 'node:timers/promises';
import { contextIn } from '../../actors/behavior.js';
import { actorId } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import { entityAddress, EVERYBODY } from '../addresses.js';
import { type EntityContext, type Item, itemOf } from '../index/entity-machine.js';
import { entityList, type ListOf, entityIndexList } from '../index/lists.js';
import { countOf } from '../index/paged-list.js';
import { loadTransaction } from '../transaction/transaction-kind.js';
import { type BrowseOptions, rowOf } from './receipt-detail.js';
import type { EntitiesView, EntityRowView, EntityView, LedgerView, TransactionRowView } from '../shapes.js';
import { isoOf } from '../../system/iso.js';

/** A part of a list: at most `limit` items before the position `before` (absent: the end of the list). */
export interface BrowseRange {
  readonly before: number | undefined;
  readonly limit: number;
}

/** Reads the lists of the ledger, newest first. `tenant`: only its transactions; undefined: all. */
export type Browse = ReturnType<typeof createBrowse>;

/** Maximum number of items of a list that one request reads. */
const SEARCHED = 20_000;
/** Items that are read at once. */
const PIECE = 500;
const READ_AT_ONCE = 20;

/** Makes the reader. */
export function createBrowse({ actors, store, lists, chain, settings }: BrowseOptions) {
  /** Returns the newest items that `fits` accepts, with their positions, and where the next page begins. */
  const newest = async <T>(
    list: ListOf,
    { before, limit }: BrowseRange,
    fits: (item: string) => T | undefined,
  ): Promise<{ readonly found: readonly T[]; readonly next: number | null }> => {
    const found: T[] = [];
    let to = Math.min(before ?? Infinity, await lists.count(actors, list));
    const lowest = Math.max(0, to - SEARCHED);
    while (to > lowest) {
      const from = Math.max(lowest, to - PIECE);
      const piece: string[] = [];
      for await (const items of lists.slice(actors, list, from, to)) piece.push(...items);
      for (let i = piece.length - 1; i >= 0; i -= 1) {
        const shown = fits(piece[i]!);
        if (shown === undefined) continue;
        found.push(shown);
        if (found.length === limit) return { found, next: from + i === 0 ? null : from + i };
      }
      to = from;
      await setImmediate();
    }
    return { found, next: to === 0 ? null : to };
  };

  const entityRow = async (entityId: string, tenant: string | undefined): Promise<EntityRowView> => {
    const stored = tenant === undefined ? await store.load(actorId(entityAddress(entityId))) : undefined;
    if (stored === undefined) return { entityId, transactions: null, last: null };
    const { last, ...list } = contextIn(stored) as EntityContext;
    return {
      entityId,
      transactions: countOf(list),
      last: last === undefined ? null : { ...last, at: isoOf(last.at) },
    };
  };

  const transactionRow = async (item: Item): Promise<TransactionRowView | undefined> => {
    const context = await loadTransaction(store, item);
    // A reorganisation may have removed it for now.
    return context?.signed && rowOf(context, context.signed, item.index);
  };

  return {
    async ledger(tenant: string | undefined): Promise<LedgerView> {
      const down = chain.missing();
      const known = down === undefined;
      return {
        chain: known ? chain.name : null,
        contract: known ? chain.contract : null,
        head: known ? (chain.head() ?? null) : null,
        down: down ?? null,
        ...settings,
        entities: await lists.count(actors, entityIndexList(tenant ?? EVERYBODY)),
      };
    },

    /** `query`: a part of the id, in any letter case. A page may have fewer items, and none, before the last one. */
    async entities(
      { query, ...range }: BrowseRange & { readonly query: string | undefined },
      tenant: string | undefined,
    ): Promise<EntitiesView> {
      const part = query?.toLowerCase();
      const fits = (id: string): string | undefined =>
        part === undefined || id.toLowerCase().includes(part) ? id : undefined;
      const { found, next } = await newest(entityIndexList(tenant ?? EVERYBODY), range, fits);
      return { entities: await mapInBatches(found, READ_AT_ONCE, (id) => entityRow(id, tenant)), next };
    },

    /** undefined if the entity has no transaction of the tenant. */
    async entity(
      entityId: string,
      range: BrowseRange,
      tenant: string | undefined,
    ): Promise<EntityView | undefined> {
      const view = await actors.read<EntityContext>(entityAddress(entityId));
      // `hasOwn`: a tenant may have the name `constructor`.
      if (view === undefined || !Object.hasOwn(view.context.indexes, tenant ?? EVERYBODY)) return undefined;
      const fits = (text: string): Item | undefined => {
        const item = itemOf(text);
        return tenant === undefined || item.tenant === tenant ? item : undefined;
      };
      const { found, next } = await newest(entityList(entityId), range, fits);
      const rows = await mapInBatches(found, READ_AT_ONCE, transactionRow);
      return { entityId, transactions: rows.filter((row) => row !== undefined), next };
    },
  };
}
