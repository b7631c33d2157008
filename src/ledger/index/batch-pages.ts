import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Actors } from '../../actors/runtime.js';
import type { Store } from '../../store/port.js';
import { mapInBatches } from '../../system/in-batches.js';
import type { Batch, BatchEntry } from '../operation.js';
import { pageAddress, pageText } from './page-machine.js';
import type { PageEvent } from './page-machine.js';
import type { ListedUnder } from '../transaction/signed-operation.js';

/** A batch that a transaction is listed under. */
export type ListedBatch = Extract<ListedUnder, { batch: string }>;

/** The entries of batches (L5), in pages of their own. */
export interface BatchPages {
  /**
   * Puts the pages away for a while, under a name that their content gives: a batch that comes again finds them.
   * `paged`, where any: how many transactions of each entry's entity lie in pages; it is put away beside them.
   */
  put(batch: Batch, paged: readonly number[] | undefined): Promise<Pick<ListedBatch, 'batch' | 'paged'>>;
  /** Keeps the pages of a batch whose transaction is certain, and what was put beside them for some days. */
  keep(listed: ListedBatch): Promise<void>;
  /**
   * How many transactions of each entry's entity lay in pages when the batch was put away; nothing where none did, or
   * where that is so long ago that it is not known any more.
   */
  paged(listed: ListedBatch): Promise<readonly number[]>;
  /** The entries of a page, as JSON text of an array. */
  text(batch: string, number: number): Promise<string>;
  /** As `text`, of all pages in their order; others get their turn between two of them. */
  texts(listed: ListedBatch): AsyncGenerator<string, void>;
}

/** The list of pages that a batch's entries lie in. */
const BATCH = 'batch';
/** Pages of one batch each, by the names of what they hold: how many transactions of its entities lay in pages. */
const PAGED = 'paged';
/** How long the pages of a batch stay that nobody signs, ms: longer than any request lasts. */
const UNSIGNED_KEPT_MS = 30 * 60 * 1000;
/** How long it stays known what lay in pages, ms: longer than a service is down, as a rule. */
const PAGED_KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** Pages that are put away together: more would hold the event loop. */
const TOGETHER = 8;

export interface BatchPagesOptions {
  readonly actors: () => Actors;
  readonly store: Store;
  readonly now: () => number;
}

/** Makes the pages of the batches of a runtime; what they hold is read straight from the store. */
export function createBatchPages({ actors, store, now }: BatchPagesOptions): BatchPages {
  const tell = (batch: string, number: number, event: PageEvent): Promise<unknown> =>
    actors().ask(pageAddress(BATCH, batch, number), event);
  const tellPaged = (name: string, content: string, keptMs: number): Promise<unknown> => {
    const event: PageEvent = { type: 'put', now: now(), text: content, until: now() + keptMs };
    return actors().ask(pageAddress(PAGED, name, 0), event);
  };

  const text = async (batch: string, number: number): Promise<string> => {
    const found = await pageText(store, pageAddress(BATCH, batch, number));
    if (found === undefined) throw new Error(`page ${number} of batch ${batch} is missing`);
    return found;
  };

  return {
    async put({ pages }, paged) {
      const name = await nameOf(pages);
      await mapInBatches(pages, TOGETHER, (page, number) =>
        tell(name, number, { type: 'put', now: now(), text: page, until: now() + UNSIGNED_KEPT_MS }),
      );
      if (paged === undefined) return { batch: name, paged };
      const content = JSON.stringify(paged);
      const beside = await nameOf([name, content]);
      await tellPaged(beside, content, UNSIGNED_KEPT_MS);
      return { batch: name, paged: beside };
    },
    async keep({ batch, pages, paged }) {
      for (let number = 0; number < pages; number += 1)
        await tell(batch, number, { type: 'keep', now: now() });
      // What is there stays as it is; where it is gone, nothing is known, which is as right.
      if (paged !== undefined) await tellPaged(paged, '[]', PAGED_KEPT_MS);
    },
    async paged({ paged }) {
      const found = paged === undefined ? undefined : await pageText(store, pageAddress(PAGED, paged, 0));
      return found === undefined ? [] : (JSON.parse(found) as number[]);
    },
    text,
    async *texts({ batch, pages }) {
      for (let number = 0; number < pages; number += 1) {
        yield await text(batch, number);
        await setImmediate();
      }
    },
  };
}

/** The entries that the text of a page holds. */
export function entriesOf(page: string): readonly BatchEntry[] {
  return JSON.parse(page) as BatchEntry[];
}

async function nameOf(pages: readonly string[]): Promise<string> {
  const digest = createHash('sha256');
  for (const [number, page] of pages.entries()) {
    digest.update(page).update('\n');
    if (number % TOGETHER === 0) await setImmediate();
  }
  return digest.digest('hex');
}
