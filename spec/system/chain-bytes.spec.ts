import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { checksumAddress, type Hex, keccak } from '../../src/system/chain-bytes.js';

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

describe('the case of an address', () => {
  it('is that of the examples of EIP-55', () => {
    for (const address of [
      '0x52908400098527886E0F7030069857D2E4169EE7',
      '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
      '0xde709f2102306220921060314715629080e2fb77',
      '0x27b1fdb04752bbc536007a920d24acb045561c26',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
      '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
    ] as const) {
      for (const given of [address, address.toLowerCase() as Hex])
        expect(checksumAddress(given)).to.equal(address);
    }
  });
});
