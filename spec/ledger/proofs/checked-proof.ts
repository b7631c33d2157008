import { RLP } from '@ethereumjs/rlp';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect } from 'chai';
import type { ProofFile } from '../../../src/library/proof.js';

type Item = Uint8Array | Item[];

const EVENT = keccak(Buffer.from('Timestamp(uint256,uint256)'));

/**
 * Checks a proof file as somebody else would: by the yellow paper, without a line of the service. Fails with the step that does
 * not hold. `content`: the canonical content, `blockHash`: the hash that is trusted.
 */
export function expectProof(file: ProofFile, content: string, blockHash: string): void {
  const hash = keccak(Buffer.from(content));
  expect(file.hash, 'hash').to.equal(hash);
  const root = file.batch?.proof.reduce<string>(parent, keccak(bytes(keccak(bytes(hash)))));
  const [assetId, recorded] = root === undefined ? [keccak(Buffer.from(file.entityId)), hash] : [root, root];
  expect(file.assetId, 'assetId').to.equal(assetId);

  const header = RLP.decode(file.block.header) as Item[];
  expect(keccak(bytes(file.block.header)), 'header').to.equal(blockHash);
  expect(file.block.hash).to.equal(blockHash);
  expect(header.length, 'fields of the header').to.be.at.least(15);
  expect(number(header[8]), 'number').to.equal(file.block.number);
  expect(number(header[11]) * 1000, 'time').to.equal(Date.parse(file.recordedAt));

  const receipt = fieldsOf(leafOf(hex(header[5]), file.transaction.index, file.receipt.proof));
  expect(hex(receipt[0]), 'status').to.equal('0x01');
  const events = (receipt[3] as Item[]).map((log) => {
    const [address, topics] = log as [Uint8Array, Uint8Array[]];
    return [address, ...topics].map(hex);
  });
  expect(events, 'events').to.deep.include([file.contract, EVENT, assetId, recorded]);

  const transaction = leafOf(hex(header[4]), file.transaction.index, file.transaction.proof);
  const fields = fieldsOf(transaction);
  // Nonce, price, gas, to, value, input: behind the chain id and the second fee in later types.
  const at = transaction[0]! >= 0xc0 ? 3 : transaction[0] === 1 ? 4 : 5;
  expect(hex(fields[at]), 'to').to.equal(file.contract);
  expect(hex(fields[at + 2]), 'input').to.equal(`0xb97da33b${assetId.slice(2)}${recorded.slice(2)}`);
}

/** The value under an index in the trie with this root, as the nodes on the way to it prove. */
function leafOf(root: string, index: number, proof: readonly string[]): Uint8Array {
  let path = Buffer.from(RLP.encode(index)).toString('hex');
  let wanted = root;
  for (const [depth, text] of proof.entries()) {
    const last = depth === proof.length - 1;
    const node = bytes(text);
    expect(keccak(node), `node ${depth}`).to.equal(wanted);
    const items = RLP.decode(node) as Item[];
    if (items.length === 17) {
      expect(last && path !== '', 'a branch at the end').to.equal(false);
      if (path === '') return items[16] as Uint8Array;
      wanted = hex(items[Number.parseInt(path[0]!, 16)]);
      path = path.slice(1);
      continue;
    }
    const own = Buffer.from(items[0] as Uint8Array).toString('hex');
    const part = own.slice('13'.includes(own[0]!) ? 1 : 2);
    expect(path.startsWith(part), 'path').to.equal(true);
    path = path.slice(part.length);
    if ('23'.includes(own[0]!)) {
      expect([last, path]).to.deep.equal([true, '']);
      return items[1] as Uint8Array;
    }
    wanted = hex(items[1]);
  }
  throw new Error('the proof has no leaf');
}

function fieldsOf(value: Uint8Array): Item[] {
  return RLP.decode(value[0]! >= 0xc0 ? value : value.subarray(1)) as Item[];
}

function parent(a: string, b: string): string {
  return keccak(bytes(a < b ? a + b.slice(2) : b + a.slice(2)));
}

function keccak(data: Uint8Array): string {
  return hex(keccak_256(data));
}

function hex(item: Item | undefined): string {
  return `0x${Buffer.from(item as Uint8Array).toString('hex')}`;
}

function number(item: Item | undefined): number {
  return Number.parseInt(hex(item).slice(2) || '0', 16);
}

function bytes(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}
