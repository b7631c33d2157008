import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Hex } from '../../../src/chain/port.js';
import { merkleTree, rootOf } from '../../../src/ledger/content/merkle.js';

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const hashes = (maxLength: number) => fc.array(hash, { minLength: 1, maxLength, size: 'max' });
const verify = (root: Hex, leaf: Hex, proof: Hex[]) =>
  StandardMerkleTree.verify(root, ['bytes32'], [leaf], proof);

const some = (count: number) => fc.sample(hash, { numRuns: count, seed: count });

describe('the Merkle tree of a batch', () => {
  it('has the root of OpenZeppelin for the same hashes, in any order', () => {
    fc.assert(
      fc.property(hashes(100), (leaves) => {
        const { root } = StandardMerkleTree.of(
          leaves.map((leaf) => [leaf]),
          ['bytes32'],
        );
        expect(merkleTree(leaves).root).to.equal(root);
        expect(merkleTree(leaves.toReversed()).root).to.equal(root);
      }),
      { numRuns: 50 },
    );
  });

  it('has a proof for every hash, which OpenZeppelin accepts for that hash alone', () => {
    fc.assert(
      fc.property(hashes(40), fc.nat(), hash, (leaves, at, other) => {
        const tree = merkleTree(leaves);
        leaves.forEach((leaf, i) => expect(verify(tree.root, leaf, tree.proof(i))).to.equal(true));
        const index = at % leaves.length;
        fc.pre(leaves[index] !== other);
        expect(verify(tree.root, other, tree.proof(index))).to.equal(false);
        expect(rootOf(other, tree.proof(index))).not.to.equal(tree.root);
      }),
      { numRuns: 50 },
    );
  });

  it('holds for every size up to 300', () => {
    const all = some(300);
    for (let size = 1; size <= 300; size += 1) {
      const tree = merkleTree(all.slice(0, size));
      for (const index of new Set([0, size >> 1, size - 1])) {
        expect(verify(tree.root, all[index]!, tree.proof(index)), `${index} of ${size}`).to.equal(true);
        expect(rootOf(all[index]!, tree.proof(index))).to.equal(tree.root);
      }
    }
  });

  it('changes its root with any of its hashes', () => {
    const leaves = some(20);
    const { root } = merkleTree(leaves);
    const [other] = some(21);
    leaves.forEach((_, i) => expect(merkleTree(leaves.with(i, other!)).root).not.to.equal(root));
  });

  it('accepts a hash that comes twice', () => {
    const [one, two] = some(2);
    const leaves = [one!, two!, one!, one!];
    const tree = merkleTree(leaves);
    leaves.forEach((leaf, i) => expect(verify(tree.root, leaf, tree.proof(i))).to.equal(true));
  });

  it('of one hash is its leaf, with an empty proof', () => {
    const [one] = some(1);
    const tree = merkleTree([one!]);
    expect(tree.proof(0)).to.deep.equal([]);
    expect(tree.root).to.equal(StandardMerkleTree.of([[one!]], ['bytes32']).root);
    expect(rootOf(one!, [])).to.equal(tree.root);
  });

  it('does not exist for no hash', () => {
    expect(() => merkleTree([])).to.throw(RangeError);
  });
});
