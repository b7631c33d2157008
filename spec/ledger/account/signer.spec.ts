import { expect } from 'chai';
import type { ActorEvent, Actors } from '../../../src/actors/kind.js';
import type { Chain } from '../../../src/chain/port.js';
import type { NonceGap } from '../../../src/ledger/signed-transaction.js';
import { createSigner } from '../../../src/ledger/account/signer.js';
import type { AccountContext, AccountEvent } from '../../../src/ledger/account/account-machine.js';
import { ACCOUNT, drive, NOON, OPERATION, signedTransaction, word } from '../driven-ledger.js';
import { ACCOUNT as ACCOUNT_KIND } from '../../../src/ledger/addresses.js';

/** The signing of a node whose account's wallet and chain are as the spec has them. */
function scene(used: number) {
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
    fees: async () => ({ gasPrice: 0n, gasLimit: 60_000n }),
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
});
