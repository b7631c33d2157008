import { expect } from 'chai';
import { anyId, building, ENTITIES, receiptIn, sharedLedger, UPSERT } from '../scene.js';

const ADDED = 1_000;
const PAGE = 50;
const WALKERS = 4;

describe('L6 walked page by page while entities are added', () => {
  const ledger = sharedLedger();

  /** The ids of one page. */
  const page = async (offset: number): Promise<readonly string[]> => {
    const { body } = await ledger().ask(`GET /entity?offset=${offset}&limit=${PAGE}`);
    const { records } = body as unknown as { records: { entityId: string }[] };
    return records.map(({ entityId }) => entityId);
  };

  /** Walks to the end, and on as long as there may come more; tells at every page how far it is. */
  const walk = async (isOver: () => boolean): Promise<readonly string[]> => {
    const seen: string[] = [];
    for (;;) {
      const wasOver = isOver();
      const ids = await page(seen.length);
      seen.push(...ids);
      if (wasOver && ids.length === 0) return seen;
    }
  };

  it('misses nothing, repeats nothing, and shows every walker the same', async () => {
    const ids = Array.from({ length: ADDED }, () => anyId());
    const waiting = [...ids];
    let isOver = false;
    /** Adds one by one, or in batches, of which some are there already. */
    const add = async (together: number): Promise<void> => {
      for (let added = waiting.splice(0, together); added.length > 0; added = waiting.splice(0, together)) {
        const answer =
          together === 1
            ? await ledger().ask(`POST ${ENTITIES}`, building(added[0]))
            : await ledger().ask(
                `POST ${UPSERT}`,
                [...added, ids[0]!].map((id) => building(id)),
              );
        receiptIn(answer);
      }
    };
    const walks = Array.from({ length: WALKERS }, () => walk(() => isOver));
    await Promise.all([add(1), add(1), add(1), add(1), add(20), add(7)]);
    isOver = true;
    const [first, ...others] = await Promise.all(walks);
    expect(new Set(first).size, 'twice').to.equal(first!.length);
    expect(first!.toSorted()).to.deep.equal(ids.toSorted());
    for (const other of others) expect(other).to.deep.equal(first);
    expect(await ledger().count()).to.equal(ADDED);
  });
});
