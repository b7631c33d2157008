import { expect } from 'chai';
import type { Actors } from '../../src/actors/runtime.js';
import { Refusal } from '../../src/errors.js';
import { transactionAddress } from '../../src/ledger/addresses.js';
import { createFinality } from '../../src/ledger/finality.js';
import { rejectionOf } from '../identity/rejection.js';
import { CHAIN, word } from './driven-ledger.js';

function scene() {
  const told: string[] = [];
  const state = { head: 10 as number | undefined, now: 1_000, fault: undefined as Error | undefined };
  const actors = {
    async tell({ name }: { name: string }, { type }: { type: string }) {
      if (state.fault !== undefined) throw state.fault;
      told.push(`${type} ${Number(name)}`);
    },
  } as unknown as Actors;
  const finality = createFinality({
    actors: () => actors,
    chain: { head: () => state.head },
    finality: 3,
    ageMs: 100,
    now: () => state.now,
  });
  const recorded = (n: number, block: number): void =>
    finality.recorded(transactionAddress(CHAIN, word(n)), block);
  return { finality, recorded, state, told };
}

describe('finality', () => {
  it('comes to what is deep enough and old enough, once', async () => {
    const { finality, recorded, state, told } = scene();
    recorded(1, 8);
    recorded(2, 9);
    await finality.look();
    expect(told, 'too early').to.deep.equal([]);
    state.now += 100;
    await finality.look();
    expect(told).to.deep.equal(['deep 1']);
    state.head = 11;
    await finality.look();
    await finality.look();
    expect(told).to.deep.equal(['deep 1', 'deep 2']);
  });

  it('does not come to what a reorganisation may have moved', async () => {
    const { finality, recorded, state, told } = scene();
    recorded(1, 4);
    recorded(2, 5);
    finality.reorganised(5);
    state.now += 100;
    await finality.look();
    expect(told).to.deep.equal(['deep 1']);
  });

  it('waits while nobody knows the chain', async () => {
    const { finality, recorded, state, told } = scene();
    recorded(1, 1);
    state.now += 100;
    state.head = undefined;
    await finality.look();
    expect(told).to.deep.equal([]);
  });

  it('leaves what the actors refuse to itself, and hides no other fault', async () => {
    const { finality, recorded, state, told } = scene();
    recorded(1, 1);
    state.now += 100;
    state.fault = new Refusal('unavailable', 'the service is stopping; nothing was done');
    await finality.look();
    recorded(2, 1);
    state.now += 100;
    state.fault = new Error('a fault of ours');
    expect(await rejectionOf(finality.look())).to.equal(state.fault);
    expect(told).to.deep.equal([]);
  });

  it('counts how often blocks have gone', () => {
    const { finality } = scene();
    const before = finality.reorganisations();
    finality.reorganised(7);
    expect(finality.reorganisations()).to.equal(before + 1);
  });
});
