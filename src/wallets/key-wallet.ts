import type { Hex } from '../system/chain-bytes.js';
import { addressOf } from './transaction-bytes.js';
import type { Wallet } from './port.js';
import { signatureThread } from './signature-thread.js';

/**
 * Makes a wallet with a private key in this process: `0x` and 64 hexadecimal digits. Throws an `Error` for an invalid key;
 * its message does not contain the key.
 */
export function keyWallet(privateKey: Hex): Wallet {
  if (!/^0x[0-9a-f]{64}$/i.test(privateKey)) throw new Error(NO_KEY);
  const key = Buffer.from(privateKey.slice(2), 'hex');
  const address = checkedAddressOf(key);
  const thread = signatureThread(key);
  return {
    account: async () => address,
    signsDynamicFees: true,
    async sign(transaction) {
      if (transaction.from !== address) throw new Error('the transaction is another account’s to sign');
      return thread.sign(transaction);
    },
  };
}

const NO_KEY = 'The private key must be 0x and 64 hexadecimal digits, and a number that the curve has.';

function checkedAddressOf(key: Uint8Array): Hex {
  try {
    return addressOf(key);
  } catch {
    throw new Error(NO_KEY);
  }
}
