import { expect } from 'chai';
import { NodeError } from '../../src/chain/exchange.js';
import { ChainUnavailable } from '../../src/chain/port.js';
import { sentOf } from '../../src/chain/sent.js';

/** What nodes say of a transaction, and what it means. */
const WORDS = {
  sent: [
    'already known',
    'known transaction: 0x12',
    'Known transaction',
    'AlreadyKnown',
    'transaction already imported',
    'Transaction with the same hash was already imported.',
    'existing txn with same hash',
  ],
  'nonce-used': [
    'nonce too low',
    'nonce too low: next nonce 5, tx nonce 3',
    'Nonce too low',
    'OldNonce, Current nonce: 3, nonce of rejected tx: 2',
    'Transaction nonce is too low. Try incrementing the nonce.',
    'replacement transaction underpriced',
    'Replacement transaction underpriced',
    'could not replace existing tx',
    'insufficient gas price to replace existing transaction',
    'Transaction gas price is too low. There is another transaction with same nonce in the queue.',
  ],
  funds: [
    'insufficient funds for gas * price + value: balance 0, tx cost 100, overshot 100',
    'Insufficient funds for gas * price + value',
    'Upfront cost exceeds account balance',
    'transaction up-front cost 0x1 exceeds transaction sender account balance 0x0',
    'InsufficientFunds, Balance is 0 less than sending value + gas 1',
    'insufficient funds',
    'Insufficient funds. The account you tried to send transaction from does not have enough funds.',
  ],
  busy: [
    'txpool is full',
    'pending sub-pool is full',
    'account limit exceeded: pooled 64 txs',
    'There are too many transactions in the queue.',
    'in-flight transaction limit reached for delegated accounts',
    'transaction underpriced',
    'FeeTooLowToCompete',
    'max fee per gas less than block base fee',
    'Gas price below current base fee',
    'nonce too high',
    'NonceGap, Future nonce. Expected nonce: 1',
    'Transaction nonce is too distant from current sender nonce',
    'An invalid transaction with a lower nonce exists',
    'future transaction tries to replace pending',
    'Initial sync is still in progress',
    'node is syncing',
    'daily request count exceeded, request rate limited: rate limit',
  ],
  refused: [
    'Gas price below configured minimum gas price',
    'transaction underpriced: gas tip cap 0, minimum needed 1000000',
    'exceeds block gas limit',
    'Transaction gas limit exceeds block gas limit',
    'gas limit reached',
    'intrinsic gas too low',
    'invalid sender',
    'invalid chain id for signer',
    'Sender account not authorized to send transactions',
    'tx fee (2.00 ether) exceeds the configured cap (1.00 ether)',
    'Failed to decode signed transaction',
    'something that nobody has heard of',
  ],
} as const;

describe("a node's word on a transaction", () => {
  for (const [is, words] of Object.entries(WORDS)) {
    for (const text of words) {
      it(`"${text}" is ${is}`, () => {
        const expected = is === 'sent' ? { is } : { is, detail: text };
        expect(sentOf(new NodeError(-32_000, text))).to.deep.equal(expected);
      });
    }
  }

  it('that it failed itself leaves the outcome open', () => {
    for (const text of ['Internal error', 'Timeout expired', 'request timed out']) {
      expect(() => sentOf(new NodeError(-32_603, text)), text).to.throw(ChainUnavailable);
    }
  });

  it('is not read out of anything else', () => {
    const error = new ChainUnavailable('nonce too low');
    expect(() => sentOf(error)).to.throw(error);
  });
});
