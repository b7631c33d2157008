import { RLP } from '@ethereumjs/rlp';
import { expect } from 'chai';
import { keccak_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import secp256k1 from 'secp256k1';
import {
  NoTransaction,
  addressOf,
  decodeTransaction,
  differenceOf,
  signingBytes,
  signTransaction,
  unsignedOf,
  withSignature,
} from '../../src/wallets/transaction-bytes.js';
import type { UnsignedTransaction } from '../../src/wallets/port.js';
import {
  anyDynamic,
  anyKey,
  anyTransaction,
  dynamicOf,
  transactionOf,
  web3Decoded,
  web3Signed,
} from './transactions.js';
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
  const items = RLP.decode(bytesOf(signTransaction(transactionOf(FROM), bytesOf(KEY)).raw)) as Uint8Array[];
  return hexOf(RLP.encode((change(items) ?? items) as Uint8Array[]));
}

function faultOf(raw: string): string {
  try {
    decodeTransaction(raw);
  } catch (error) {
    expect(error).to.be.instanceOf(NoTransaction);
    return (error as Error).message;
  }
  return expect.fail('it was decoded');
}

for (const [type, any] of Object.entries({ legacy: anyTransaction, 'EIP-1559': anyDynamic })) {
  const both = anyKey.chain((key) => fc.tuple(fc.constant(key), any(addressOf(bytesOf(key)))));

  describe(`a transaction of the type ${type}`, () => {
    it('is signed as web3 decodes it, for any content', () => {
      fc.assert(
        fc.property(both, ([key, transaction]) => {
          const { raw, hash } = signTransaction(transaction, bytesOf(key));
          expect(web3Decoded(raw)).to.deep.equal({ ...transaction, value: 0n, hash, verifies: true });
        }),
        { numRuns: cases(100, 40) },
      );
    });

    it('is decoded as web3 signed it, for any content', () => {
      const value = fc.bigInt(0n, (1n << 256n) - 1n);
      fc.assert(
        fc.property(fc.tuple(both, value), ([[key, transaction], amount]) => {
          const raw = web3Signed(transaction, key, amount);
          const { hash } = web3Decoded(raw);
          const { nonce, chainId } = transaction;
          expect(decodeTransaction(raw)).to.deep.equal({
            ...transaction,
            nonce: BigInt(nonce),
            chainId: BigInt(chainId),
            value: amount,
            raw,
            hash,
          });
        }),
        { numRuns: cases(100, 40) },
      );
    });

    it('gets the signature that somebody else made of its bytes', () => {
      fc.assert(
        fc.property(both, ([key, transaction]) => {
          const hash = keccak_256(signingBytes(transaction));
          const signature = secp256k1.ecdsaSign(hash, bytesOf(key));
          expect(withSignature(transaction, signature)).to.deep.equal(
            signTransaction(transaction, bytesOf(key)),
          );
        }),
        { numRuns: 50 },
      );
    });

    it('gives back its fields, to be signed again', () => {
      fc.assert(
        fc.property(both, ([key, transaction]) => {
          const { raw } = signTransaction(transaction, bytesOf(key));
          expect(unsignedOf(raw, transaction.from)).to.deep.equal(transaction);
        }),
        { numRuns: 50 },
      );
      expect(() => unsignedOf('0x1234', FROM)).to.throw(NoTransaction);
    });

    it('is never misread: the bytes of any decoded transaction are its canonical encoding', () => {
      const asked = type === 'legacy' ? transactionOf(FROM) : dynamicOf(FROM);
      const bytes = bytesOf(signTransaction(asked, bytesOf(KEY)).raw);
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, byte) => {
          const changed = Buffer.from(bytes);
          changed[at] = byte;
          fc.pre(!changed.equals(bytes));
          let decoded;
          try {
            decoded = decodeTransaction(hexOf(changed));
          } catch (error) {
            expect(error).to.be.instanceOf(NoTransaction);
            return;
          }
          expect(differenceOf(asked, decoded)).to.be.a('string');
        }),
        { numRuns: cases(300, 100) },
      );
    });
  });
}

describe('a legacy transaction', () => {
  it('is decoded from digits in either case, and given in lower case', () => {
    const { raw, hash } = signTransaction(transactionOf(FROM), bytesOf(KEY));
    expect(decodeTransaction(`0x${raw.slice(2).toUpperCase()}`)).to.include({ raw, hash });
  });

  for (const [what, raw, fault] of [
    ['nothing', '0x', 'legacy type'],
    ['no hexadecimal', '0xzz', 'hexadecimal'],
    ['half a byte', '0xf', 'hexadecimal'],
    [
      'hexadecimal without 0x',
      signTransaction(transactionOf(FROM), bytesOf(KEY)).raw.slice(2),
      'hexadecimal',
    ],
    [
      'of another type',
      `0x01${signTransaction(transactionOf(FROM), bytesOf(KEY)).raw.slice(2)}`,
      'legacy type',
    ],
    ['bytes behind it', `${signTransaction(transactionOf(FROM), bytesOf(KEY)).raw}00`, 'RLP'],
    ['a byte less', signTransaction(transactionOf(FROM), bytesOf(KEY)).raw.slice(0, -2), 'RLP'],
    ['eight items', forged((items) => items.slice(0, 8)), '9 fields'],
    ['ten items', forged((items) => [...items, Uint8Array.of(1)]), '9 fields'],
    ['a list for an item', forged((items) => [...items.slice(0, 8), items.slice(8)]), 'a list for a field'],
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
    ['no s', forged((items) => items.with(8, new Uint8Array())), 'no key can have made'],
    [
      'an r beyond the curve',
      forged((items) => items.with(7, new Uint8Array(32).fill(255))),
      'no key can have made',
    ],
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

  for (const [field, change] of [
    ['nonce', { nonce: 8 }],
    ['gas price', { gasPrice: 2_000_000_001n }],
    ['gas limit', { gasLimit: 60_001n }],
    ['receiver', { to: `0x${'ab'.repeat(20)}` }],
    ['data', { data: '0x01' }],
    ['chain id', { chainId: 1 }],
  ] as const) {
    it(`differs by its ${field}`, () => {
      const signed = signTransaction(transactionOf(FROM, change), bytesOf(KEY));
      expect(differenceOf(transactionOf(FROM), decodeTransaction(signed.raw))).to.equal(field);
    });
  }

  it('differs by its value', () => {
    const raw = web3Signed(transactionOf(FROM), KEY, 1n);
    expect(differenceOf(transactionOf(FROM), decodeTransaction(raw))).to.equal('value');
  });

  it('differs by its sender', () => {
    const { raw } = signTransaction(transactionOf(FROM), bytesOf(`0x${'22'.repeat(32)}`));
    expect(differenceOf(transactionOf(FROM), decodeTransaction(raw))).to.equal('sender');
  });

  it('differs in no field from the one that was to be signed', () => {
    const { raw } = signTransaction(transactionOf(FROM), bytesOf(KEY));
    expect(differenceOf(transactionOf(FROM), decodeTransaction(raw))).to.equal(undefined);
  });
});

/** A signed transaction of EIP-1559 with its RLP items changed. */
function forgedDynamic(change: (items: (Uint8Array | unknown[])[]) => unknown): Hex {
  const { raw } = signTransaction(dynamicOf(FROM), bytesOf(KEY));
  const items = RLP.decode(bytesOf(`0x${raw.slice(4)}`)) as Uint8Array[];
  return `0x02${hexOf(RLP.encode(change(items) as Uint8Array[])).slice(2)}`;
}

describe('a transaction of EIP-1559', () => {
  const entry = [new Uint8Array(20).fill(1), []];
  for (const [what, raw, fault] of [
    [
      'a legacy one behind its type',
      `0x02${signTransaction(transactionOf(FROM), bytesOf(KEY)).raw.slice(2)}`,
      '12 fields',
    ],
    ['its type alone', '0x02', '12 fields'],
    ['cut off', '0x02cf', 'RLP'],
    ['eleven items', forgedDynamic((items) => items.slice(0, 11)), '12 fields'],
    ['with an access list', forgedDynamic((items) => items.with(8, [entry])), 'access list'],
    [
      'with bytes for its access list',
      forgedDynamic((items) => items.with(8, new Uint8Array())),
      'access list',
    ],
    ['with a list for its data', forgedDynamic((items) => items.with(7, [])), 'a list for a field'],
    ['with a parity of 2', forgedDynamic((items) => items.with(9, Uint8Array.of(2))), 'no key can have made'],
    ['with a zero for an even parity', forgedDynamic((items) => items.with(9, Uint8Array.of(0))), 'zeros'],
    ['with a zero in front of a fee', forgedDynamic((items) => items.with(3, Uint8Array.of(0, 1))), 'zeros'],
    [
      'with a receiver of 19 bytes',
      forgedDynamic((items) => items.with(5, new Uint8Array(19).fill(1))),
      'receiver',
    ],
  ] as const) {
    it(`is not one ${what}`, () => {
      expect(faultOf(raw)).to.contain(fault);
    });
  }

  for (const [field, change] of [
    ['maximum fee', { maxFeePerGas: 2_000_000_001n }],
    ['priority fee', { maxPriorityFeePerGas: 1n }],
    ['nonce', { nonce: 8 }],
    ['chain id', { chainId: 1 }],
  ] as const) {
    it(`differs by its ${field}`, () => {
      const { raw } = signTransaction(dynamicOf(FROM, change), bytesOf(KEY));
      expect(differenceOf(dynamicOf(FROM), decodeTransaction(raw))).to.equal(field);
    });
  }

  it('differs by its type from a legacy one', () => {
    const { raw } = signTransaction(dynamicOf(FROM), bytesOf(KEY));
    expect(differenceOf(transactionOf(FROM), decodeTransaction(raw))).to.equal('type');
    const legacy = signTransaction(transactionOf(FROM), bytesOf(KEY));
    expect(differenceOf(dynamicOf(FROM), decodeTransaction(legacy.raw))).to.equal('type');
  });
});
