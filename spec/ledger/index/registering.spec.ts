import { expect } from 'chai';
import type { Actors } from '../../../src/actors/runtime.js';
import { registering } from '../../../src/ledger/index/registering.js';
import type { RegisterEvent, UncheckedAdditions } from '../../../src/ledger/index/register-machine.js';
import type { Address } from '../../../src/store/port.js';
import { StoreUnavailable } from '../../../src/store/port.js';
import { rejectionOf } from '../../identity/rejection.js';
import { NOON } from '../driven-ledger.js';

type Told = readonly [register: string, items: readonly string[], checked: readonly number[]];

/** Registers that reply what they are told to, and pages that hold these entities. */
function scene(replies: UncheckedAdditions[] = [], held: readonly string[] = []) {
  const told: Told[] = [];
  const looked: (readonly [item: string, from: number, below: number])[] = [];
  const actors = {
    async ask({ name }: Address, { additions }: Extract<RegisterEvent, { type: 'add' }>) {
      told.push([name, additions.map(({ item }) => item), additions.map(({ checked }) => checked)]);
      return replies.shift();
    },
  } as unknown as Actors;
  const register = registering({
    actors: () => actors,
    lists: {
      async find(_list, item, from, below) {
        looked.push([item, from, below]);
        return held.includes(item) ? from : undefined;
      },
    },
    now: () => NOON,
  });
  return { register, told, looked };
}

describe('registering', () => {
  it('tells each register of what comes for it together at once', async () => {
    const { register, told } = scene();
    await Promise.all([register('*', 'a', 3), register('acme', 'a', 1), register('*', 'b', 4)]);
    await register('*', 'c', 5);
    expect(told).to.deep.equal([
      ['*', ['a', 'b'], [3, 4]],
      ['acme', ['a'], [1]],
      ['*', ['c'], [5]],
    ]);
  });

  it('tells of very many in several pieces', async () => {
    const { register, told } = scene();
    const names = Array.from({ length: 501 }, (_, n) => `e${n}`);
    await Promise.all(names.map((name) => register('*', name, 0)));
    expect(told.map(([, items]) => items.length)).to.deep.equal([500, 1]);
    expect(told.flatMap(([, items]) => items)).to.deep.equal(names);
  });

  it('looks for those that a page may hold, and tells again of those that none does', async () => {
    const unchecked: UncheckedAdditions = [{ below: 500 }, undefined, { below: 500 }];
    const { register, told, looked } = scene([unchecked], ['a']);
    await Promise.all([register('*', 'a', 3), register('*', 'b', 600), register('*', 'c', 250)]);
    expect(looked).to.deep.equal([
      ['a', 3, 500],
      ['c', 250, 500],
    ]);
    expect(told).to.deep.equal([
      ['*', ['a', 'b', 'c'], [3, 600, 250]],
      ['*', ['c'], [500]],
    ]);
  });

  it('fails for all that came together where the register is not written', async () => {
    const register = registering({
      actors: () => ({ ask: () => Promise.reject(new StoreUnavailable('away')) }) as unknown as Actors,
      lists: { find: async () => undefined },
      now: () => NOON,
    });
    const both = [register('*', 'a', 0), register('*', 'b', 0)];
    for (const one of both) expect(await rejectionOf(one)).to.be.instanceOf(StoreUnavailable);
  });
});
