import { expect } from 'chai';
import fc from 'fast-check';
import { Web3 } from 'web3';
import type { ChainLog, ChainReceipt, Hex } from '../../src/chain/port.js';
import { timestampCall, timestampOf } from '../../src/chain/timestamp-call.js';
import { TIMESTAMPER_ABI } from '../../src/chain/timestamper.js';
import { wordOf } from './scene.js';

const { abi } = new Web3('http://127.0.0.1:1').eth;
const [EVENT, METHOD] = TIMESTAMPER_ABI;
const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const CONTRACT = `0x${'c'.repeat(40)}` as const;

describe('a call of the contract', () => {
  it('is encoded as web3 encodes it', () => {
    fc.assert(
      fc.property(word, word, (assetId, hash) => {
        const expected = abi.encodeFunctionCall(METHOD, [assetId, hash]);
        expect(timestampCall(wordOf(assetId), wordOf(hash))).to.equal(expected);
      }),
    );
  });

  it('accepts arguments of 32 bytes only', () => {
    for (const wrong of ['0x', '0x12', `0x${'g'.repeat(64)}`, `0x${'A'.repeat(64)}`, `0x${'0'.repeat(65)}`]) {
      expect(() => timestampCall(wrong as Hex, wordOf(1)), wrong).to.throw(RangeError);
      expect(() => timestampCall(wordOf(1), wrong as Hex), wrong).to.throw(RangeError);
    }
  });
});

describe('the events in a receipt', () => {
  const topic = abi.encodeEventSignature(EVENT) as Hex;

  it('are found in order, of one contract or of any', () => {
    fc.assert(
      fc.property(word, word, (assetId, hash) => {
        const one = logOf(CONTRACT, [topic, wordOf(assetId), wordOf(hash)]);
        const other = logOf(`0x${'d'.repeat(40)}`, [topic, wordOf(hash), wordOf(assetId)]);
        const expected = { assetId: wordOf(assetId), hash: wordOf(hash), contract: CONTRACT };
        const receipt = receiptOf([one, other]);
        expect(timestampOf(receipt, CONTRACT)).to.deep.equal([expected]);
        expect(timestampOf(receipt, undefined)[0]).to.deep.equal(expected);
        expect(timestampOf(receipt, undefined)).to.have.length(2);
      }),
    );
  });

  it('are not mistaken for others', () => {
    const words = [wordOf(1), wordOf(2)];
    const logs = [
      logOf(CONTRACT, []),
      logOf(CONTRACT, [wordOf(3), ...words]),
      logOf(CONTRACT, [topic, wordOf(1)]),
      logOf(CONTRACT, [topic, ...words, wordOf(3)]),
    ];
    expect(timestampOf(receiptOf(logs), undefined)).to.deep.equal([]);
    const failed = { ...receiptOf([logOf(CONTRACT, [topic, ...words])]), status: '0x0' as const };
    expect(timestampOf(failed, undefined)).to.deep.equal([]);
  });
});

function logOf(address: Hex, topics: readonly Hex[]): ChainLog {
  const place = { blockHash: wordOf(1), blockNumber: '0x1', transactionHash: wordOf(2) } as const;
  return { address, topics, data: '0x', ...place, transactionIndex: '0x0', logIndex: '0x0', removed: false };
}

function receiptOf(logs: readonly ChainLog[]): ChainReceipt {
  const place = { blockHash: wordOf(1), blockNumber: '0x1', transactionHash: wordOf(2) } as const;
  const gas = { cumulativeGasUsed: '0x1', gasUsed: '0x1' } as const;
  const ends = { from: CONTRACT, to: CONTRACT, transactionIndex: '0x0' } as const;
  return { ...place, ...gas, ...ends, status: '0x1', logs, logsBloom: '0x' };
}
