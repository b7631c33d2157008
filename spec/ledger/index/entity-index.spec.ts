import { expect } from 'chai';
import type { Actors } from '../../../src/actors/kind.js';
import {
  entityIndexer,
  type EntityIndexEvent,
  type UncheckedAdditions,
} from '../../../src/ledger/index/entity-index.js';
import type { Lists } from '../../../src/ledger/index/lists.js';
import { type Address, StoreUnavailable } from '../../../src/store/port.js';
import { rejectionOf } from '../../rejection.js';
import { NOON } from '../driven-ledger.js';

type Asked = readonly [index: string, items: readonly string[], checked: readonly number[]];

/** Entity indexes with these replies, and pages that hold these entities. */
function scene(replies: UncheckedAdditions[] = [], held: readonly string[] = []) {
  const asked: Asked[] = [];
  const searched: (readonly [item: string, from: number, below: number])[] = [];
  const actors = {
    async ask({ name }: Address, { additions }: Extract<EntityIndexEvent, { type: 'add' }>) {
      asked.push([name, additions.map(({ item }) => item), additions.map(({ checked }) => checked)]);
      return replies.shift();
    },
  } as unknown as Actors;
  const lists: Pick<Lists, 'find'> = {
    async find(_actors, _list, item, from, below) {
      searched.push([item, from, below]);
      return held.includes(item) ? from : undefined;
    },
  };
  const addToIndex = entityIndexer(lists, () => NOON);
  const index = (name: string, entityId: string, from: number): Promise<unknown> =>
    addToIndex(actors, name, entityId, from);
  return { index, asked, searched };
}

describe('indexes', () => {
  it('add the entities of one turn of the event loop in one event for each index', async () => {
    const { index, asked } = scene();
    await Promise.all([index('*', 'a', 3), index('acme', 'a', 1), index('*', 'b', 4)]);
    await index('*', 'c', 5);
    expect(asked).to.deep.equal([
      ['*', ['a', 'b'], [3, 4]],
      ['acme', ['a'], [1]],
      ['*', ['c'], [5]],
    ]);
  });

  it('add more than 500 entities in several events', async () => {
    const { index, asked } = scene();
    const names = Array.from({ length: 501 }, (_, n) => `e${n}`);
    await Promise.all(names.map((name) => index('*', name, 0)));
    expect(asked.map(([, items]) => items.length)).to.deep.equal([500, 1]);
    expect(asked.flatMap(([, items]) => items)).to.deep.equal(names);
  });

  it('search the pages that may hold an entity, and add it if none does', async () => {
    const unchecked: UncheckedAdditions = [{ below: 500 }, undefined, { below: 500 }];
    const { index, asked, searched } = scene([unchecked], ['a']);
    await Promise.all([index('*', 'a', 3), index('*', 'b', 600), index('*', 'c', 250)]);
    expect(searched).to.deep.equal([
      ['a', 3, 500],
      ['c', 250, 500],
    ]);
    expect(asked).to.deep.equal([
      ['*', ['a', 'b', 'c'], [3, 600, 250]],
      ['*', ['c'], [500]],
    ]);
  });

  it('reject all additions of an event that fails', async () => {
    const actors = { ask: () => Promise.reject(new StoreUnavailable('away')) } as unknown as Actors;
    const addToIndex = entityIndexer({ find: async () => undefined }, () => NOON);
    const both = [addToIndex(actors, '*', 'a', 0), addToIndex(actors, '*', 'b', 0)];
    for (const one of both) expect(await rejectionOf(one)).to.be.instanceOf(StoreUnavailable);
  });
});
