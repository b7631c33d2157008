import { expect } from 'chai';
import { openLateChain } from '../../src/chain/late-chain.js';
import { type Chain, ChainMisfit, ChainUnavailable } from '../../src/chain/port.js';

/** A chain of which the spec needs only that it is there. */
function chainNamed(name: string) {
  const state = { closed: false };
  const chain = {
    name,
    head: () => 7,
    balance: async () => 5n,
    close: async () => void (state.closed = true),
  } as unknown as Chain;
  return { chain, state };
}

describe('a chain whose node comes later', () => {
  it('is available at once if the node is', async () => {
    const { chain, state } = chainNamed('1337');
    const late = await openLateChain(async () => chain);
    let told = 0;
    late.onFound(() => (told += 1));
    expect([late.name, late.head(), await late.balance('0x1'), told]).to.deep.equal(['1337', 7, 5n, 1]);
    await late.close();
    expect(state.closed).to.equal(true);
  });

  it('throws the reason until the node is found, and finds the node by itself', async () => {
    const { chain } = chainNamed('1337');
    const answers = [
      new ChainUnavailable('away'),
      new ChainMisfit('no contract'),
      new TypeError('an answer that nobody expected'),
    ];
    const late = await openLateChain(async () => {
      const error = answers.shift();
      if (error !== undefined) throw error;
      return chain;
    });
    expect(() => late.name).to.throw(ChainUnavailable, 'away');
    expect(late.head()).to.equal(undefined);
    expect(await late.balance('0x1').catch((e: unknown) => (e as Error).message)).to.equal('away');
    await new Promise<void>((resolve) => {
      late.onFound(resolve);
    });
    expect(late.name).to.equal('1337');
    await late.close();
  });

  it('fails the start for an error that waiting does not mend', async () => {
    const failed = await openLateChain(() => Promise.reject(new TypeError('a fault'))).catch(
      (e: unknown) => e,
    );
    expect(failed).to.be.instanceOf(TypeError);
  });

  it('is not looked for after its end', async () => {
    let asked = 0;
    const late = await openLateChain(() => {
      asked += 1;
      return Promise.reject(new ChainUnavailable('away'));
    });
    await late.close();
    expect(asked).to.equal(1);
  });
});
