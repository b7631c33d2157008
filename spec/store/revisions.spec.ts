import { expect } from 'chai';
import fc from 'fast-check';
import { StoreUnavailable } from '../../src/store/port.js';
import { BLOCK, openRevisions, RANGE, type Reserve, type Revisions } from '../../src/store/revisions.js';
import { cases } from '../cases.js';

/** The durable counter of several processes. */
function counter(): { readonly reserve: Reserve; readonly calls: number[] } {
  let reserved = 0;
  const calls: number[] = [];
  return {
    calls,
    reserve: (count, above) => {
      calls.push(count);
      const first = Math.max(reserved, above) + 1;
      reserved = first + count - 1;
      return Promise.resolve(first);
    },
  };
}

const LAST = RANGE - 1;

describe('revisions', () => {
  it('grow by one, without a call of the store', async () => {
    const { reserve, calls } = counter();
    const revisions = await openRevisions(reserve);
    const first = revisions.next(0) as number;
    expect(first % RANGE).to.equal(0);
    for (let i = 0; i < LAST; i += 1) expect(revisions.next(first + i)).to.equal(first + i + 1);
    expect(calls).to.deep.equal([BLOCK]);
  });

  it('begin another range once one is used up', async () => {
    const revisions = await openRevisions(counter().reserve);
    const first = revisions.next(0) as number;
    const other = revisions.next(0) as number;
    const next = revisions.next(first + LAST) as number;
    expect(next).to.equal(other + RANGE);
  });

  it('are available at once while further numbers are reserved', async () => {
    const { reserve, calls } = counter();
    const revisions = await openRevisions(reserve);
    for (let i = 0; i < 3 * BLOCK; i += 1) {
      expect(revisions.next(0)).to.be.a('number');
      if (i % (BLOCK / 4) === 0) await Promise.resolve().then(() => undefined);
    }
    expect(calls.length).to.be.within(3, 4);
  });

  it('are waited for if none is left, and fail as the store does', async () => {
    const { reserve } = counter();
    let away = false;
    const revisions = await openRevisions((count, above) =>
      away ? Promise.reject(new StoreUnavailable('away')) : reserve(count, above),
    );
    away = true;
    for (let i = 0; i < BLOCK; i += 1) expect(revisions.next(0)).to.be.a('number');
    await Promise.resolve();
    const error = await Promise.resolve(revisions.next(0)).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(StoreUnavailable);
    away = false;
    expect(await revisions.next(0)).to.be.above(BLOCK * RANGE);
  });

  it('grow also if a process that reserved its numbers later made the document', async () => {
    const { reserve, calls } = counter();
    const early = await openRevisions(reserve);
    const late = await openRevisions(reserve);
    const first = late.next(0) as number;
    const next = await early.next(first + LAST);
    expect(next).to.be.above(first + LAST);
    expect(calls.at(-1), 'numbers that are wasted').to.equal(1);
    expect(early.next(0)).to.be.a('number');
  });

  /** A process's act on one of three ids; `restart` loses its reserved numbers. */
  const act = fc.record({
    process: fc.nat({ max: 2 }),
    key: fc.nat({ max: 2 }),
    what: fc.constantFrom('commit', 'commit', 'long', 'remove', 'restart'),
  });

  it('never come twice for an id, whichever process deletes and makes its document', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
        const { reserve } = counter();
        const processes = await Promise.all([0, 1, 2].map(() => openRevisions(reserve)));
        const current = [0, 0, 0];
        const seen = [0, 1, 2].map(() => new Set<number>());
        const commit = async (revisions: Revisions, key: number): Promise<void> => {
          const next = await revisions.next(current[key]!);
          expect(next).to.be.above(current[key]!);
          expect(seen[key]!.has(next), `revision ${next} came before`).to.equal(false);
          seen[key]!.add(next);
          current[key] = next;
        };
        for (const { process, key, what } of acts) {
          if (what === 'restart') processes[process] = await openRevisions(reserve);
          else if (what === 'remove') current[key] = 0;
          else
            for (let i = what === 'long' ? RANGE - 2 : 1; i > 0; i -= 1)
              await commit(processes[process]!, key);
        }
      }),
      { numRuns: cases(50, 20) },
    );
  });
});
