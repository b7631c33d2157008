import { expect } from 'chai';
import type { ActorEvent, Actors } from '../../../src/actors/kind.js';
import type { Chain } from '../../../src/chain/port.js';
import type { NonceGap } from '../../../src/ledger/signed-transaction.js';
import { createSigner } from '../../../src/ledger/account/signer.js';
import type { AccountContext, AccountEvent } from '../../../src/ledger/account/account-machine.js';
import { ACCOUNT, drive, NOON, OPERATION, signedTransaction, word } from '../driven-ledger.js';
import { ACCOUNT as ACCOUNT_KIND } from '../../../src/ledger/addresses.js';

/** The signing of a node whose account's wallet and chain are as the spec has them. */
function scene(used: number, { gasPrice = 0n, balances = [] as bigint[] } = {}) {
  const wallet = drive<AccountContext, AccountEvent>(ACCOUNT_KIND);
  const gaps: NonceGap[] = [];
  const actors = {
    read: async () => ({ context: wallet.context }),
    ask: async (_address: unknown, event: ActorEvent) => wallet.ask(event as AccountEvent),
  } as unknown as Actors;
  const chain = {
    name: '1337',
    contract: ACCOUNT,
    nextNonce: async () => used,
    fees: async () => ({ gasPrice, gasLimit: 60_000n }),
    // The last one stays.
    balance: async () => (balances.length > 1 ? balances.shift() : balances[0]),
  } as unknown as Chain;
  const signing = createSigner({
    actors,
    chain,
    now: () => NOON,
    onNonceGap: (_account, gap) => void gaps.push(gap),
  });
  const sign = async (): Promise<void> => {
    // The account does not accept a refused transaction again: another hash.
    const signer = {
      account: async () => ACCOUNT,
      sign: async ({ nonce }: { nonce: number }) => signedTransaction(nonce, { hash: word(2000 + nonce) }),
    };
    await signing.sign({
      wallet: signer,
      data: '0x',
      operation: OPERATION,
      claim: undefined,
      since: undefined,
      deadline: NOON + 30_000,
    });
  };
  return { wallet, gaps, sign };
}

describe('the signer', () => {
  it('does not count transactions that wait to be dispatched, or whose nonce is free, as missing on the chain', async () => {
    const { wallet, gaps, sign } = scene(1);
    wallet.ask({ type: 'signed', now: NOON, transactions: [0, 1, 2, 3].map((n) => signedTransaction(n)) });
    wallet.ask({ type: 'performed', now: NOON, entryId: signedTransaction(0).hash });
    wallet.ask({ type: 'release', now: NOON, nonce: 2, hash: signedTransaction(2).hash });
    wallet.ask({ type: 'performed', now: NOON, entryId: signedTransaction(2).hash });
    await sign();
    expect(gaps).to.deep.equal([]);
  });

  it('reports dispatched transactions that are missing on the chain', async () => {
    const { wallet, gaps, sign } = scene(1);
    wallet.ask({ type: 'signed', now: NOON, transactions: [0, 1, 2].map((n) => signedTransaction(n)) });
    wallet.ask({ type: 'performed', now: NOON, entryId: signedTransaction(1).hash });
    await sign();
    expect(gaps).to.deep.equal([{ used: 1, below: 3, missing: 1 }]);
  });

  it('asks for the funds of an account once for many transactions, and again before it refuses one', async () => {
    const cost = 60_000n;
    const balances = [cost * 3n, cost * 4n, cost * 9n];
    const { sign } = scene(0, { gasPrice: 1n, balances });
    await Promise.all([sign(), sign(), sign()]);
    expect(balances).to.have.length(2);
    await sign();
    expect(balances, 'nonce 3 needs more than the funds that are known').to.have.length(1);
    await sign();
    expect(balances).to.deep.equal([cost * 9n]);
    for (let nonce = 5; nonce < 9; nonce += 1) await sign();
    const refused = await sign().catch((error: unknown) => error);
    expect(refused)
      .to.have.property('message')
      .that.matches(/out of funds: it has 540000 wei, .* and 9 are on their way/);
  });
});
