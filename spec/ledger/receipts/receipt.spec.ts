import { expect } from 'chai';
import type { ChainLog, ChainReceipt, Hex } from '../../../src/chain/port.js';
import { TOPIC } from '../../../src/chain/timestamp-call.js';
import { receiptOf } from '../../../src/ledger/receipts/receipt.js';
import { faultOf } from '../../../src/ledger/verify/judge.js';
import { OPERATION, receiptIn, signedTransaction, word } from '../driven-ledger.js';

const CONTRACT: Hex = `0x${'c0'.repeat(20)}`;
const OTHER: Hex = `0x${'0c'.repeat(20)}`;
const { assetId, hash } = OPERATION;

function log(address: Hex, topics: readonly Hex[]): ChainLog {
  const { blockHash, blockNumber, transactionHash, transactionIndex } = receiptIn(7);
  const place = { blockHash, blockNumber, transactionHash, transactionIndex };
  return { ...place, address, topics, data: '0x', logIndex: '0x0', removed: false };
}

const EVENT = log(CONTRACT, [TOPIC, assetId, hash]);

describe('a receipt', () => {
  const shown = (more: Partial<ChainReceipt>) =>
    receiptOf({ signed: signedTransaction(0), receipt: { ...receiptIn(7), to: CONTRACT, ...more } });

  it('is good with the event of the contract that was called, for what was asked', () => {
    for (const logs of [[EVENT], [log(OTHER, [word(1)]), log(CONTRACT, []), EVENT]]) {
      const receipt = shown({ logs });
      expect(receipt.statusOK).to.equal(true);
      expect(receipt.additionalInformation.reason).to.equal(undefined);
    }
  });

  for (const [what, more, reason] of [
    ['no event', { logs: [] }, `it has no event of the contract ${CONTRACT}`],
    ['an event of another contract', { logs: [log(OTHER, EVENT.topics)] }, `of another contract, ${OTHER}`],
    ['another event', { logs: [log(CONTRACT, [word(9), assetId, hash])] }, 'no event of the contract'],
    ['another assetId', { logs: [log(CONTRACT, [TOPIC, word(9), hash])] }, 'something else'],
    ['another hash', { logs: [log(CONTRACT, [TOPIC, assetId, word(9)])] }, 'something else'],
    ['both in the other order', { logs: [log(CONTRACT, [TOPIC, hash, assetId])] }, 'something else'],
    ['a hash that is not a topic', { logs: [log(CONTRACT, [TOPIC, assetId])] }, 'no event of the contract'],
    ['a call of no contract', { to: null, logs: [EVENT] }, 'of another contract'],
    ['a reverted call', { status: '0x0', logs: [EVENT] }, 'was reverted'],
  ] as const) {
    it(`is not, with ${what}, and says why`, () => {
      const receipt = shown(more);
      expect(receipt.statusOK).to.equal(false);
      expect(receipt.additionalInformation.reason).to.include(reason);
      const transaction = {
        signed: signedTransaction(0),
        receipt: { ...receiptIn(7), to: CONTRACT, ...more },
      };
      expect(faultOf(transaction)).to.equal(receipt.additionalInformation.reason);
    });
  }
});
