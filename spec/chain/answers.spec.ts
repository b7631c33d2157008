import { expect } from 'chai';
import fc from 'fast-check';
import { blockOf, receiptOf, transactionOf } from '../../src/chain/answers.js';
import { ChainUnavailable } from '../../src/chain/port.js';

const HASH = `0x${'Ab'.repeat(32)}`;
const ADDRESS = `0x${'Cd'.repeat(20)}`;
const PLACE = { transactionHash: HASH, transactionIndex: '0x00', blockHash: HASH, blockNumber: '0x0A' };
const LOG = { ...PLACE, address: ADDRESS, topics: [HASH], data: '0x', logIndex: '0x0a' };
const GAS = { cumulativeGasUsed: '0x1', gasUsed: '0x1' };
const RECEIPT = {
  ...PLACE,
  ...GAS,
  from: ADDRESS,
  to: ADDRESS,
  status: '0x01',
  logs: [LOG],
  logsBloom: '0x00',
};
const BLOCK = { number: '0x1', hash: HASH, parentHash: HASH, timestamp: '0x5' };
const TRANSACTION = { hash: HASH, from: ADDRESS, to: null, input: '0x', nonce: '0x0', blockHash: null };

describe("a node's answers", () => {
  it('are read as quantities without leading zeros and bytes in lower case', () => {
    expect(receiptOf(RECEIPT)).to.deep.include({
      transactionHash: HASH.toLowerCase(),
      transactionIndex: '0x0',
      blockNumber: '0xa',
      status: '0x1',
      from: ADDRESS.toLowerCase(),
    });
    expect(receiptOf(RECEIPT).logs[0]).to.deep.include({ topics: [HASH.toLowerCase()], removed: false });
    expect(receiptOf({ ...RECEIPT, to: null }).to).to.equal(null);
    expect(transactionOf(TRANSACTION)).to.deep.include({ to: null, nonce: 0, blockNumber: undefined });
  });

  it('give the time of a block in seconds, also on a chain that counts nanoseconds', () => {
    expect(blockOf(BLOCK).timestamp).to.equal(5);
    const timestamp = `0x${(1_700_000_000n * 1_000_000_000n).toString(16)}`;
    expect(blockOf({ ...BLOCK, timestamp }).timestamp).to.equal(1_700_000_000);
  });

  it('throw only ChainUnavailable if a member is missing or malformed', () => {
    const readers = [
      [receiptOf, RECEIPT],
      [transactionOf, TRANSACTION],
      [blockOf, BLOCK],
      [(log: unknown) => receiptOf({ ...RECEIPT, logs: [log] }), LOG],
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom(...readers), fc.nat(), fc.jsonValue(), ([read, good], at, value) => {
        const names = Object.keys(good);
        const bad = { ...good, [names[at % names.length]!]: value };
        try {
          read(bad);
        } catch (error) {
          expect(error).to.be.an.instanceOf(ChainUnavailable);
        }
        expect(() => read(value)).to.throw(ChainUnavailable);
      }),
    );
  });
});
