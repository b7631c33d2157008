import { inspect } from 'node:util';
import { expect } from 'chai';
import { keyWallet } from '../../src/wallets/key-wallet.js';
import { rejectionOf } from '../rejection.js';
import { transactionOf } from './transactions.js';
import { walletFeatures } from './wallet.features.js';

// The first account of the mnemonic that every development chain knows.
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

describe('a wallet over a private key', () => {
  walletFeatures(async () => ({ wallet: keyWallet(KEY), address: ADDRESS }), { dynamicFees: true });

  it('signs for no other account', async () => {
    const transaction = transactionOf(`0x${'ab'.repeat(20)}`);
    expect(await rejectionOf(keyWallet(KEY).sign(transaction))).to.match(/another account’s/);
  });

  for (const [what, key] of [
    ['too short', '0xac0974'],
    ['zero', `0x${'00'.repeat(32)}`],
    ['beyond the curve', `0x${'ff'.repeat(32)}`],
    ['not hexadecimal', `0x${'zz'.repeat(32)}`],
  ] as const) {
    it(`refuses a key that is ${what}, without showing it`, () => {
      let error: unknown;
      try {
        keyWallet(key);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).to.match(/private key must be/);
      expect(inspect(error, { depth: 9 })).not.to.contain(key.slice(2));
    });
  }
});
