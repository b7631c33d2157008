import { expect } from 'chai';
import { type Committed, StoreUnavailable, Unstorable } from '../../src/store/port.js';
import { watchWrites } from '../../src/store/write-watch.js';
import { rejectionOf } from '../rejection.js';
import { creation } from './documents.js';

const FULL = new StoreUnavailable('the disk is full');
const SHORT = [creation('k/t/short')];
const LONG = [creation('k/t/long', { frequent: JSON.stringify('x'.repeat(100_000)) })];

describe('whether a store can write', () => {
  /** A disk that takes at most `room` characters at once. */
  function disk() {
    const trials: number[] = [];
    const state = { room: Infinity };
    const watch = watchWrites(async (characters) => {
      trials.push(characters);
      if (characters > state.room) throw FULL;
    });
    const answer = (results: Committed[] | Error) => () =>
      results instanceof Error ? Promise.reject(results) : Promise.resolve(results);
    return { state, trials, watch, answer };
  }

  it('is not asked of it while commits succeed, are lost, or could never be stored', async () => {
    const { trials, watch, answer } = disk();
    for (const result of ['won', 'lost', new Unstorable('too long')] as const)
      await watch.commit(LONG, answer([result]));
    await watch.check();
    expect(trials).to.deep.equal([]);
  });

  for (const [how, results] of [
    ['as a whole', FULL],
    ['alone', [FULL] as Committed[]],
  ] as const) {
    it(`is no from a commit that failed ${how} on, and yes once as much can be written`, async () => {
      const { state, trials, watch, answer } = disk();
      state.room = 1_000;
      await watch.commit(LONG, answer(results)).catch(() => undefined);
      expect(await rejectionOf(watch.check())).to.equal(FULL);
      await watch.commit(SHORT, answer(['won']));
      expect(await rejectionOf(watch.check())).to.equal(FULL);
      expect(trials).to.have.length(1);
      expect(trials[0]).to.be.at.least(100_000);
      await watch.commit(LONG, answer(['won']));
      await watch.check();
      expect(trials).to.have.length(1);
    });
  }

  it('is tried once for all that ask at the same time', async () => {
    const { state, trials, watch, answer } = disk();
    await watch.commit(LONG, answer(FULL)).catch(() => undefined);
    state.room = Infinity;
    await Promise.all([watch.check(), watch.check(), watch.check()]);
    await watch.check();
    expect(trials).to.have.length(1);
  });
});
