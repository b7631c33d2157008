import { RLP } from '@ethereumjs/rlp';
import type { ProofFile } from '../../../src/library/proof.js';
import { hexOf, keccak } from '../../../src/system/chain-bytes.js';
import type { Field } from './made-block.js';

type Block = ProofFile['block'];

/** Returns a block whose header has these bytes as the RLP of an item. The hash fits. */
export function headerWith(block: Block, item: number, encoded: Uint8Array): Block {
  const fields = RLP.decode(block.header) as Uint8Array[];
  const body = Buffer.concat(fields.map((field, i) => (i === item ? encoded : RLP.encode(field))));
  return hashed(block, Buffer.concat([Uint8Array.of(0xf9, body.length >> 8, body.length & 0xff), body]));
}

/** Returns a block with these bytes as its header. The hash fits. */
export function hashed({ number }: Block, raw: Uint8Array): Block {
  return { number, header: hexOf(raw), hash: hexOf(keccak(raw)) };
}

/** Returns a block in whose header an item is lists in lists, so that the header has so many levels. */
export function nestedTo(levels: number, block: Block): Block {
  let item: Field = [];
  for (let level = 2; level < levels; level += 1) item = [item];
  return headerWith(block, 12, RLP.encode(item));
}
