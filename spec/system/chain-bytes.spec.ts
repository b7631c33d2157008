import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { keccak } from '../../src/system/chain-bytes.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('keccak-256', () => {
  it('of no bytes is Ethereum’s hash of empty code', () => {
    expect(hex(keccak(new Uint8Array()))).to.equal(
      'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    );
  });

  it('equals another implementation for bytes of any length', () => {
    for (let length = 0; length <= 600; length += 1) {
      const bytes = randomBytes(length);
      expect(hex(keccak(bytes)), `${length} bytes`).to.equal(hex(keccak_256(bytes)));
    }
    const long = randomBytes(3_000_000);
    expect(hex(keccak(long))).to.equal(hex(keccak_256(long)));
  });

  it('of a part of a buffer covers that part only, and stays unchanged by later hashes', () => {
    const bytes = randomBytes(100).subarray(7, 50);
    const first = keccak(bytes);
    const before = hex(first);
    keccak(randomBytes(99));
    expect(hex(first))
      .to.equal(before)
      .and.equal(hex(keccak_256(Uint8Array.from(bytes))));
  });
});
