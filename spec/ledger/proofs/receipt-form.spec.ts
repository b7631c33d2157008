import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import { timestampCall, TOPIC } from '../../../src/chain/timestamp-call.js';
import { UnknownForm } from '../../../src/ledger/proofs/json-fields.js';
import { eventReceiptBytes, receiptBytes } from '../../../src/ledger/proofs/receipt-form.js';
import { signTransaction } from '../../../src/wallets/transaction-bytes.js';

const CONTRACT = '0x5d852181d0c65098f4daa4d6f7435aec3836d2d5';
const ASSET = '0x3f73c2bfc8b1a70434d241f4a71bf9d621b39f9fcfacd402aa3066468fd491a6';
const HASH = '0x5e50241104c9c7f8d424339c2eaf8b8c70a82f2f8b07ff5b98b0cdb07e396d47';
/** The bloom that a node gave for the receipt: numbers of zeros, and the digits between them in turns. */
const DIGITS = '7 8 34 4 54 2 77 8 36 2 15 8 1 2 11 1 32 8 81 2 27 1 52 2 73'.split(' ');
const BLOOM = DIGITS.map((one, at) => (at % 2 === 0 ? '0'.repeat(Number(one)) : one)).join('');

describe('the receipt of a transaction that caused its event alone', () => {
  const call = {
    from: CONTRACT,
    to: CONTRACT,
    data: timestampCall(ASSET, HASH),
    gasLimit: 60_000n,
    nonce: 0,
    chainId: 1337,
  } as const;
  const key = Buffer.alloc(32, 1);

  for (const [type, fees] of [
    ['0x0', { gasPrice: 0n }],
    ['0x2', { maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }],
  ] as const) {
    it(`follows from the transaction and the gas, for the type ${type}`, () => {
      const { raw } = signTransaction({ ...call, ...fees }, key);
      const followed = eventReceiptBytes(bytes(raw), bytes('0x5d24'));
      const logs = [{ address: CONTRACT, topics: [TOPIC, ASSET, HASH], data: '0x' }];
      const given = { type, status: '0x1', cumulativeGasUsed: '0x5d24', logsBloom: `0x${BLOOM}`, logs };
      expect(Buffer.from(followed).toString('hex')).to.equal(
        Buffer.from(receiptBytes(given)).toString('hex'),
      );
    });
  }

  it('follows for each contract, also if the bytes of the transaction before are used again', () => {
    const of = (to: Hex): Uint8Array => bytes(signTransaction({ ...call, to, gasPrice: 0n }, key).raw);
    const [one, other] = [of(`0x${'0c'.repeat(20)}`), of(`0x${'0d'.repeat(20)}`)];
    const reused = Buffer.from(one);
    const followed = [reused, reused, one, other].map((transaction, at) => {
      if (at === 1) reused.set(other);
      return Buffer.from(eventReceiptBytes(transaction, bytes('0x5d24'))).toString('hex');
    });
    expect(followed.slice(0, 2)).to.deep.equal(followed.slice(2));
    expect(followed[0]).not.to.equal(followed[1]);
  });

  it('has the bloom of its own event, whatever was recorded in the contract before', () => {
    const of = (data: Hex): string => {
      const { raw } = signTransaction({ ...call, data, gasPrice: 0n }, key);
      return Buffer.from(eventReceiptBytes(bytes(raw), bytes('0x5d24'))).toString('hex');
    };
    const first = of(call.data);
    expect(of(timestampCall(`0x${'0a'.repeat(32)}`, HASH))).not.to.equal(first);
    expect(of(call.data)).to.equal(first);
  });

  it('does not follow from another call', () => {
    const inData: Hex = `0x${'00'.repeat(30)}80b844${call.data.slice(2)}`;
    for (const data of ['0x', inData] as const) {
      const creation = signTransaction({ ...call, to: '0x', data, gasPrice: 0n }, key);
      expect(() => eventReceiptBytes(bytes(creation.raw), bytes('0x5d24')), data).to.throw(
        UnknownForm,
        'another call',
      );
    }
  });
});

function bytes(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}
