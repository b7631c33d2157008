import { expect } from 'chai';
import type { ProofFile } from '../../../src/library/proof.js';
import { BARN, madeFile, neighbours } from './vectors.js';

/** Bytes of hexadecimal digits behind 0x. */
const bytesIn = (hex: string): number => hex.length / 2 - 1;
const sum = (nodes: readonly string[]): number => nodes.reduce((bytes, node) => bytes + bytesIn(node), 0);

/** The characters of a file by the formula of docs/proofs.md. */
function formula({ chainId, operation, entityId, batch, block, transaction, receipt }: ProofFile): number {
  const digits = [chainId, block.number, transaction.index].join('').length;
  const [t, r] = [transaction, receipt].map(({ proof }) => sum(proof));
  const hashes = batch?.proof.length;
  const ofBatch = hashes === undefined ? 0 : hashes === 0 ? 21 : 20 + 69 * hashes;
  const texts = operation.length + JSON.stringify(entityId).length - 2;
  return (
    527 + texts + digits + 10 * transaction.proof.length + 2 * (bytesIn(block.header) + t! + r!) + ofBatch
  );
}

describe('the size of a proof file', () => {
  const made = (size: number, index: number, entities?: number): Promise<ProofFile> =>
    madeFile({
      operation: entities === undefined ? 'create' : 'upsert',
      content: BARN,
      ...(entities !== undefined && { others: neighbours(entities - 1) }),
      record: { type: 2 },
      block: { size, index, moreFields: 6 },
    });

  it('is that of the formula, and its nodes have the sizes of the table', async () => {
    for (const [size, index, above, nodes] of [
      [1, 0, 0, 0],
      [2, 1, 83, 1],
      [128, 16, 840, 2],
      [200, 150, 1_102, 4],
      [300, 200, 1_231, 4],
    ] as const) {
      const file = await made(size, index);
      expect(JSON.stringify(file).length, `${index} of ${size}`).to.equal(formula(file));
      for (const { proof } of [file.transaction, file.receipt])
        expect([sum(proof.slice(0, -1)), proof.length - 1]).to.deep.equal([above, nodes]);
    }
  });

  it('is that of the formula with batches, of any id', async () => {
    for (const entities of [1, 2, 64, 65]) {
      const file = await made(20, 3, entities);
      for (const one of [file, { ...file, entityId: 'urn:"\\ü\n' }])
        expect(JSON.stringify(one).length).to.equal(formula(one));
    }
  });

  it('is at most the documented one: the ways of a full block, with the largest header of Prague', async () => {
    const largest = async (entities?: number, hashes = 0, index = 150): Promise<number> => {
      const file = await made(200, index, entities);
      const missing = 661 - bytesIn(file.block.header);
      const id = 40 - file.entityId.length;
      const more = file.batch === undefined ? 0 : 69 * (hashes - file.batch.proof.length);
      return (formula(file) + 2 * missing + id + more) / 1_000;
    };
    expect(await largest()).to.be.within(7.5, 7.6);
    expect(await largest(64, 6)).to.be.within(7.9, 8);
    expect(await largest(64, 14)).to.be.within(8.4, 8.6);
    expect(await largest(64, 14, 127)).to.be.within(7.4, 7.5);
  });
});
