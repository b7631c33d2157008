import { RLP } from '@ethereumjs/rlp';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  NoLegacyTransaction,
  addressOf,
  decodeLegacy,
  differenceOf,
  signLegacy,
  unsignedOf,
} from '../../src/wallets/legacy-transaction.js';
import type { UnsignedTransaction } from '../../src/wallets/port.js';
import { anyKey, anyTransaction, transactionOf, web3Decoded, web3Signed } from './transactions.js';
import { cases } from '../cases.js';

type Hex = UnsignedTransaction['to'];

const KEY = `0x${'11'.repeat(32)}` as const;
const FROM = addressOf(bytesOf(KEY));
/** Order of the curve. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}

/** A signed transaction with its RLP items changed. */
function forged(change: (items: Uint8Array[]) => unknown): Hex {
  const items = RLP.decode(bytesOf(signLegacy(transactionOf(FROM), bytesOf(KEY)).raw)) as Uint8Array[];
  return hexOf(RLP.encode((change(items) ?? items) as Uint8Array[]));
}

function faultOf(raw: string): string {
  try {
    decodeLegacy(raw);
  } catch (error) {
    expect(error).to.be.instanceOf(NoLegacyTransaction);
    return (error as Error).message;
  }
  return expect.fail('it was decoded');
}

describe('a legacy transaction', () => {
  it('is signed as web3 decodes it, for any content', () => {
    const both = anyKey.chain((key) => fc.tuple(fc.constant(key), anyTransaction(addressOf(bytesOf(key)))));
    fc.assert(
      fc.property(both, ([key, transaction]) => {
        const { raw, hash } = signLegacy(transaction, bytesOf(key));
        expect(web3Decoded(raw)).to.deep.equal({ ...transaction, value: 0n, hash, verifies: true });
      }),
      { numRuns: cases(100, 40) },
    );
  });

  it('is decoded as web3 signed it, for any content', () => {
    const all = anyKey.chain((key) =>
      fc.tuple(fc.constant(key), anyTransaction(addressOf(bytesOf(key))), fc.bigInt(0n, (1n << 256n) - 1n)),
    );
    fc.assert(
      fc.property(all, ([key, transaction, value]) => {
        const raw = web3Signed(transaction, key, value);
        const { hash } = web3Decoded(raw);
        const { nonce, chainId } = transaction;
        expect(decodeLegacy(raw)).to.deep.equal({
          ...transaction,
          nonce: BigInt(nonce),
          chainId: BigInt(chainId),
          value,
          raw,
          hash,
        });
      }),
      { numRuns: cases(100, 40) },
    );
  });

  it('gives back its fields, to be signed again', () => {
    const all = anyKey.chain((key) => fc.tuple(fc.constant(key), anyTransaction(addressOf(bytesOf(key)))));
    fc.assert(
      fc.property(all, ([key, transaction]) => {
        const { raw } = signLegacy(transaction, bytesOf(key));
        expect(unsignedOf(raw, transaction.from)).to.deep.equal(transaction);
        const dearer = { ...unsignedOf(raw, transaction.from), gasPrice: transaction.gasPrice + 1n };
        expect(differenceOf(transaction, decodeLegacy(signLegacy(dearer, bytesOf(key)).raw))).to.equal(
          'gas price',
        );
      }),
      { numRuns: 50 },
    );
    expect(() => unsignedOf('0x1234', FROM)).to.throw(NoLegacyTransaction);
  });

  it('is decoded from digits in either case, and given in lower case', () => {
    const { raw, hash } = signLegacy(transactionOf(FROM), bytesOf(KEY));
    expect(decodeLegacy(`0x${raw.slice(2).toUpperCase()}`)).to.include({ raw, hash });
  });

  for (const [what, raw, fault] of [
    ['nothing', '0x', 'legacy type'],
    ['no hexadecimal', '0xzz', 'hexadecimal'],
    ['half a byte', '0xf', 'hexadecimal'],
    ['hexadecimal without 0x', signLegacy(transactionOf(FROM), bytesOf(KEY)).raw.slice(2), 'hexadecimal'],
    [
      'a typed transaction',
      `0x02${signLegacy(transactionOf(FROM), bytesOf(KEY)).raw.slice(2)}`,
      'legacy type',
    ],
    ['bytes behind it', `${signLegacy(transactionOf(FROM), bytesOf(KEY)).raw}00`, 'RLP'],
    ['a byte less', signLegacy(transactionOf(FROM), bytesOf(KEY)).raw.slice(0, -2), 'RLP'],
    ['eight items', forged((items) => items.slice(0, 8)), '9 fields'],
    ['ten items', forged((items) => [...items, Uint8Array.of(1)]), '9 fields'],
    ['a list for an item', forged((items) => [...items.slice(0, 8), items.slice(8)]), '9 fields'],
    ['lists in lists', '0xc3c2c1c0', '9 fields'],
    ['a zero in front of the nonce', forged((items) => items.with(0, Uint8Array.of(0, 7))), 'zeros in front'],
    ['a zero for a nonce of none', forged((items) => items.with(0, Uint8Array.of(0))), 'zeros in front'],
    ['a gas price of 33 bytes', forged((items) => items.with(1, new Uint8Array(33).fill(1))), '32 bytes'],
    ['a zero in front of the value', forged((items) => items.with(4, Uint8Array.of(0, 1))), 'zeros in front'],
    [
      'a zero in front of v',
      forged((items) => items.with(6, Buffer.concat([Buffer.of(0), items[6]!]))),
      'zeros',
    ],
    [
      'a zero in front of r',
      forged((items) => items.with(7, Buffer.concat([Buffer.of(0), items[7]!.subarray(1)]))),
      'zeros',
    ],
    [
      'a zero in front of s',
      forged((items) => items.with(8, Buffer.concat([Buffer.of(0), items[8]!.subarray(1)]))),
      'zeros',
    ],
    ['a receiver of 19 bytes', forged((items) => items.with(3, new Uint8Array(19).fill(1))), 'receiver'],
    ['a receiver of 21 bytes', forged((items) => items.with(3, new Uint8Array(21).fill(1))), 'receiver'],
    ['v 27', forged((items) => items.with(6, Uint8Array.of(27))), 'no chain'],
    ['v 28', forged((items) => items.with(6, Uint8Array.of(28))), 'no chain'],
    ['v 0', forged((items) => items.with(6, new Uint8Array())), 'no chain'],
    ['v of chain 0', forged((items) => items.with(6, Uint8Array.of(36))), 'no chain'],
    ['no r', forged((items) => items.with(7, new Uint8Array())), 'no signature'],
    ['no s', forged((items) => items.with(8, new Uint8Array())), 'nobody'],
    ['an r beyond the curve', forged((items) => items.with(7, new Uint8Array(32).fill(255))), 'nobody'],
  ] as const) {
    it(`is not ${what}`, () => {
      expect(faultOf(raw)).to.contain(fault);
    });
  }

  it('has the lower of its two signatures only', () => {
    const other = forged((items) => {
      const s = ORDER - BigInt(hexOf(items[8]!));
      const v = BigInt(hexOf(items[6]!));
      const flipped = v % 2n === 0n ? v - 1n : v + 1n;
      const bytes = (value: bigint): Buffer =>
        Buffer.from(value.toString(16).padStart(value > 0xffffn ? 64 : 4, '0'), 'hex');
      return items.with(6, bytes(flipped)).with(8, bytes(s));
    });
    expect(faultOf(other)).to.contain('higher one');
  });

  it('is never misread: the bytes of any decoded transaction are its canonical encoding', () => {
    const { raw } = signLegacy(transactionOf(FROM), bytesOf(KEY));
    const bytes = bytesOf(raw);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        fc.pre(!changed.equals(bytes));
        let decoded;
        try {
          decoded = decodeLegacy(hexOf(changed));
        } catch (error) {
          expect(error).to.be.instanceOf(NoLegacyTransaction);
          return;
        }
        expect(differenceOf(transactionOf(FROM), decoded)).to.be.a('string');
      }),
      { numRuns: cases(300, 100) },
    );
  });

  for (const [field, change] of [
    ['nonce', { nonce: 8 }],
    ['gas price', { gasPrice: 2_000_000_001n }],
    ['gas limit', { gasLimit: 60_001n }],
    ['receiver', { to: `0x${'ab'.repeat(20)}` }],
    ['data', { data: '0x01' }],
    ['chain id', { chainId: 1 }],
  ] as const) {
    it(`differs by its ${field}`, () => {
      const signed = signLegacy(transactionOf(FROM, change), bytesOf(KEY));
      expect(differenceOf(transactionOf(FROM), decodeLegacy(signed.raw))).to.equal(field);
    });
  }

  it('differs by its value', () => {
    const raw = web3Signed(transactionOf(FROM), KEY, 1n);
    expect(differenceOf(transactionOf(FROM), decodeLegacy(raw))).to.equal('value');
  });

  it('differs by its sender', () => {
    const { raw } = signLegacy(transactionOf(FROM), bytesOf(`0x${'22'.repeat(32)}`));
    expect(differenceOf(transactionOf(FROM), decodeLegacy(raw))).to.equal('sender');
  });

  it('differs in no field from the one that was to be signed', () => {
    const { raw } = signLegacy(transactionOf(FROM), bytesOf(KEY));
    expect(differenceOf(transactionOf(FROM), decodeLegacy(raw))).to.equal(undefined);
  });
});
