import { RLP } from '@ethereumjs/rlp';
import { expect } from 'chai';
import type { Item } from '../../../src/ledger/proof-file/bytes.js';
import { rlpOf } from '../../../src/ledger/proof-file/rlp-bytes.js';

describe('the RLP of proofs', () => {
  it('is that of @ethereumjs/rlp, at each length of a length and each depth', () => {
    const bytes = [0, 1, 2, 54, 55, 56, 57, 255, 256, 65_535, 65_536].map((length) =>
      new Uint8Array(length).fill(0x81),
    );
    const single = [0, 1, 0x7f, 0x80, 0xff].map((byte) => Uint8Array.of(byte));
    const lists: Item[] = [[], [[]], [[], [[]], single], single, bytes, [bytes.slice(0, 5), [single, bytes]]];
    for (const size of [54, 55, 56, 255, 256])
      lists.push(Array.from({ length: size }, () => Uint8Array.of(1)));
    for (const item of [...bytes, ...single, ...lists]) {
      const expected = RLP.encode(item as Parameters<typeof RLP.encode>[0]);
      expect(Buffer.compare(rlpOf(item), expected)).to.equal(0);
    }
  });

  it('has lists of any length', () => {
    const list = Array.from({ length: 200_000 }, (_, i) => Uint8Array.of(i & 127));
    const decoded = RLP.decode(rlpOf(list)) as Uint8Array[];
    expect(Buffer.concat(decoded).equals(Buffer.concat(list))).to.equal(true);
  });
});
