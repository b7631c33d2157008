import { expect } from 'chai';
import type { BlockEvidence, Hex } from '../../../src/chain/port.js';
import { createProofKeeper, type ProvenBlock } from '../../../src/ledger/proofs/proof-keeper.js';
import { anyWallet, creation, type LedgerNode, ledgerScene } from '../scene.js';

const UNKNOWN: Hex = `0x${'0b'.repeat(32)}`;
const UNKNOWN_FORM: BlockEvidence = { block: { transactions: [] }, receipts: [], raw: {} };

/** A keeper whose chain gives this evidence of blocks. */
function keeperOf(node: LedgerNode, evidenceOf: (hash: Hex) => BlockEvidence | undefined) {
  return createProofKeeper({
    chain: { block: (number) => node.chain.block(number), evidence: async (hash) => evidenceOf(hash) },
    store: node.store,
    now: Date.now,
  });
}

describe('the keeper of proofs', () => {
  const scene = ledgerScene();

  it('keeps those of a block that comes together with one of a form that is not known', async () => {
    const node = await scene.node();
    const { blockHash, blockNumber } = await node.record(creation('urn:ngsi-ld:Car:1'), anyWallet());
    const known = await node.chain.evidence(blockHash);
    const keeper = keeperOf(node, (hash) => (hash === blockHash ? known : UNKNOWN_FORM));
    try {
      const block: ProvenBlock = { chain: node.chain.name, number: blockNumber, hash: blockHash };
      const blocks = [{ ...block, hash: UNKNOWN }, block];
      const [bad, good] = await Promise.allSettled(
        blocks.map((one) => keeper.keep(node.actors, one, { isFinal: true })),
      );
      expect(good).to.have.property('status', 'fulfilled');
      expect(bad).to.have.nested.property('reason.code', 'not-implemented');
      expect(bad)
        .to.have.nested.property('reason.message')
        .that.matches(/^no proof can be made: the chain has no bytes as/);
      const kept = await keeper.kept(block, 0);
      expect(kept?.block).to.include({ number: blockNumber, hash: blockHash });
      expect(await keeper.kept({ ...block, hash: UNKNOWN }, 0)).to.equal(undefined);
    } finally {
      await keeper.close();
    }
  });

  it('fails the blocks of an order that is too long for a text, and no others', async () => {
    const tooLong = new RangeError('Invalid string length');
    const unsendable: BlockEvidence = {
      ...UNKNOWN_FORM,
      receipts: [
        {
          toJSON() {
            throw tooLong;
          },
        },
      ],
    };
    const node = await scene.node();
    const keeper = keeperOf(node, (hash) => (hash === UNKNOWN ? unsendable : UNKNOWN_FORM));
    try {
      const block: ProvenBlock = { chain: node.chain.name, number: 1, hash: UNKNOWN };
      const keep = (one: ProvenBlock) =>
        keeper.keep(node.actors, one, { isFinal: true }).catch((error: unknown) => error);
      expect(await keep(block)).to.equal(tooLong);
      expect(await keep({ ...block, hash: `0x${'0c'.repeat(32)}` })).to.have.property(
        'code',
        'not-implemented',
      );
    } finally {
      await keeper.close();
    }
  });
});
