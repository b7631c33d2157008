import { expect } from 'chai';
import fc from 'fast-check';
import type { Wallet } from '../../src/wallets/port.js';
import {
  anyDynamic,
  anyTransaction,
  CHAIN_ID,
  dynamicOf,
  HIGHEST_GAS_PRICE,
  transactionOf,
  web3Decoded,
} from './transactions.js';

/** A wallet that signs for the chain `CHAIN_ID`, and what is known of its account. */
export interface WalletCase {
  readonly wallet: Wallet;
  /** In lower case. */
  readonly address: string;
}

/** The behaviour of every wallet. `freeOfCharge`: it signs with the gas price 0 too. `dynamicFees`: it signs EIP-1559 too. */
export function walletFeatures(
  open: () => Promise<WalletCase>,
  { freeOfCharge = true, dynamicFees = false } = {},
): void {
  describe('as a wallet', () => {
    it('gives the address of its account, in lower case', async () => {
      const { wallet, address } = await open();
      expect(await wallet.account()).to.equal(address);
      expect(address).to.match(/^0x[0-9a-f]{40}$/);
    });

    it('signs exactly the transaction that it is given', async () => {
      const { wallet } = await open();
      const transaction = transactionOf(await wallet.account());
      const { raw, hash } = await wallet.sign(transaction);
      expect(web3Decoded(raw)).to.deep.equal({ ...transaction, value: 0n, hash, verifies: true });
    });

    for (const [what, changes] of [
      ['the nonce 0', { nonce: 0 }],
      ['the highest nonce', { nonce: Number.MAX_SAFE_INTEGER }],
      ['no data', { data: '0x' }],
      ['a single zero byte as data', { data: '0x00' }],
      ['the lowest gas price', { gasPrice: 1n }],
      ['a gas price beyond 64 bits', { gasPrice: HIGHEST_GAS_PRICE }],
      ['the gas limit 0', { gasLimit: 0n }],
      ['the highest gas limit', { gasLimit: (1n << 64n) - 1n }],
      ['the address zero as receiver', { to: `0x${'00'.repeat(20)}` }],
    ] as const) {
      it(`signs ${what}`, async () => {
        const { wallet } = await open();
        const transaction = transactionOf(await wallet.account(), changes);
        expect(web3Decoded((await wallet.sign(transaction)).raw)).to.deep.include(transaction);
      });
    }

    if (freeOfCharge) {
      it('signs the gas price 0, for chains without one', async () => {
        const { wallet } = await open();
        const transaction = transactionOf(await wallet.account(), { gasPrice: 0n });
        expect(web3Decoded((await wallet.sign(transaction)).raw)).to.deep.include(transaction);
      });
    }

    it('signs any transaction', async () => {
      const { wallet } = await open();
      const from = await wallet.account();
      await fc.assert(
        fc.asyncProperty(anyTransaction(from, { chainId: CHAIN_ID }), async (transaction) => {
          fc.pre(freeOfCharge || transaction.gasPrice > 0n);
          const { raw, hash } = await wallet.sign(transaction);
          expect(web3Decoded(raw)).to.deep.include({ ...transaction, value: 0n, hash });
        }),
        { numRuns: 20 },
      );
    });

    if (dynamicFees) {
      it('signs exactly the transaction of EIP-1559 that it is given, and says that it does', async () => {
        const { wallet } = await open();
        expect(wallet.signsDynamicFees).to.equal(true);
        const transaction = dynamicOf(await wallet.account());
        const { raw, hash } = await wallet.sign(transaction);
        expect(web3Decoded(raw)).to.deep.equal({ ...transaction, value: 0n, hash, verifies: true });
      });

      it('signs any transaction of EIP-1559', async () => {
        const { wallet } = await open();
        const from = await wallet.account();
        await fc.assert(
          fc.asyncProperty(anyDynamic(from), async (transaction) => {
            const { raw, hash } = await wallet.sign(transaction);
            expect(web3Decoded(raw)).to.deep.include({ ...transaction, value: 0n, hash });
          }),
          { numRuns: 20 },
        );
      });
    } else {
      it('does not say that it signs transactions of EIP-1559', async () => {
        expect((await open()).wallet.signsDynamicFees).to.not.equal(true);
      });
    }

    it('signs several at once, each with its own nonce', async () => {
      const { wallet } = await open();
      const from = await wallet.account();
      const nonces = Array.from({ length: 20 }, (_, nonce) => nonce);
      const signed = await Promise.all(nonces.map((nonce) => wallet.sign(transactionOf(from, { nonce }))));
      expect(signed.map(({ raw }) => web3Decoded(raw)['nonce'])).to.deep.equal(nonces);
    });

    it('signs the same transaction twice with the same result', async () => {
      const { wallet } = await open();
      const transaction = transactionOf(await wallet.account());
      expect(await wallet.sign(transaction)).to.deep.equal(await wallet.sign(transaction));
    });
  });
}
