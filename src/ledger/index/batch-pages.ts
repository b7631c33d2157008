import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Actors } from '../../actors/kind.js';
import type { Address, Store } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import type { Batch, BatchEntry } from '../operation.js';
import { pageAddress, type PageEvent, pageText } from './page-machine.js';
import type { ListedUnder } from '../signed-transaction.js';

/** A batch that a transaction is listed under. */
export type ListedBatch = Extract<ListedUnder, { batch: string }>;

/** Stores the entries of batches (L5) in pages. */
export type BatchPages = ReturnType<typeof createBatchPages>;

/** Names the pages with the entries of batches. */
const BATCH = 'batch';
/** Names the pages with the numbers beside batches, one page each. */
const PAGED = 'paged';
/** How long the pages of an unsigned batch are kept, ms: longer than any request. */
const UNSIGNED_KEPT_MS = 30 * 60 * 1000;
/** How long the numbers beside a signed batch are kept, ms: longer than most outages. */
const PAGED_KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** Pages that are stored or hashed in one turn of the event loop. */
const PAGES_AT_ONCE = 8;

/** Returns the batch pages of a node. They are read from the store. `now` is in ms since the epoch. */
export function createBatchPages(store: Store, now: () => number) {
  const putPage = (actors: Actors, page: Address, content: string, keptMs: number): Promise<unknown> => {
    const event: PageEvent = { type: 'put', now: now(), text: content, until: now() + keptMs };
    return actors.ask(page, event);
  };

  /** Returns the entries of a page: JSON text of an array. Throws if the page does not exist. */
  const text = async (batch: string, number: number): Promise<string> => {
    const found = await pageText(store, pageAddress(BATCH, batch, number));
    if (found === undefined) throw new Error(`page ${number} of batch ${batch} is missing`);
    return found;
  };

  return {
    /**
     * Stores the pages for a while, under a hash of their content: the same batch again finds them. `paged`: the number of
     * transactions that each entry's entity has in pages, stored beside the batch; undefined if none has any.
     */
    async put(
      actors: Actors,
      { pages }: Batch,
      paged: readonly number[] | undefined,
    ): Promise<Pick<ListedBatch, 'batch' | 'paged'>> {
      const name = await nameOf(pages);
      await mapInBatches(pages, PAGES_AT_ONCE, (page, number) =>
        putPage(actors, pageAddress(BATCH, name, number), page, UNSIGNED_KEPT_MS),
      );
      if (paged === undefined) return { batch: name, paged };
      const content = JSON.stringify(paged);
      const beside = await nameOf([name, content]);
      await putPage(actors, pageAddress(PAGED, beside, 0), content, UNSIGNED_KEPT_MS);
      return { batch: name, paged: beside };
    },
    /** Keeps the pages of a signed batch for good, and the numbers beside them for some days. */
    async keep(actors: Actors, { batch, pages, paged }: ListedBatch): Promise<void> {
      for (let number = 0; number < pages; number += 1) {
        const event: PageEvent = { type: 'keep', now: now() };
        await actors.ask(pageAddress(BATCH, batch, number), event);
      }
      // A second `put` changes the time alone. An empty array stands for numbers that have expired.
      if (paged !== undefined) await putPage(actors, pageAddress(PAGED, paged, 0), '[]', PAGED_KEPT_MS);
    },
    /** Returns the numbers that were stored beside a batch; an empty array if there were none, or if they have expired. */
    async paged({ paged }: ListedBatch): Promise<readonly number[]> {
      const found = paged === undefined ? undefined : await pageText(store, pageAddress(PAGED, paged, 0));
      return found === undefined ? [] : (JSON.parse(found) as number[]);
    },
    text,
    /** Returns the texts of all pages in order. Other work gets a turn of the event loop between two pages. */
    async *texts({ batch, pages }: ListedBatch): AsyncGenerator<string, void> {
      for (let number = 0; number < pages; number += 1) {
        yield await text(batch, number);
        await setImmediate();
      }
    },
  };
}

/** Returns the entries in the text of a page. */
export function entriesOf(page: string): readonly BatchEntry[] {
  return JSON.parse(page) as BatchEntry[];
}

async function nameOf(pages: readonly string[]): Promise<string> {
  const digest = createHash('sha256');
  for (const [number, page] of pages.entries()) {
    digest.update(page).update('\n');
    if (number % PAGES_AT_ONCE === 0) await setImmediate();
  }
  return digest.digest('hex');
}
