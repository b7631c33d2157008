import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { expect } from 'chai';
import { createBodyOperations } from '../../../src/ledger/content/body-operations.js';
import type { BatchEntry } from '../../../src/ledger/operation.js';
import { anyWallet, ledgerScene } from '../scene.js';

const id = (n: number): string => `urn:ngsi-ld:Car:${n}`;

describe('a batch', () => {
  const scene = ledgerScene();
  const operations = createBodyOperations();
  after(() => operations.close());

  const upsert = (count: number) => {
    const entities = Array.from({ length: count }, (_, n) => ({
      id: id(n),
      type: 'Car',
      speed: { type: 'Property', value: n },
    }));
    const common = { tenant: undefined, link: undefined, ldJson: false };
    return operations.of({ bytes: Buffer.from(JSON.stringify(entities)), name: 'upsert', common });
  };

  it('is one transaction, whose root on the chain the proofs lead to', async () => {
    const node = await scene.node();
    const operation = await upsert(130);
    const receipt = await node.record(operation, anyWallet());
    const onChain = await node.chain.receipt(receipt.transactionHash);
    const [, assetId, root] = onChain!.logs[0]!.topics;
    expect(assetId).to.equal(root);
    const entries = receipt.additionalInformation['entities'] as BatchEntry[];
    expect(entries.map(({ entityId }) => entityId)).to.deep.equal(operation.entities);
    for (const { hash, proof } of entries) {
      expect(StandardMerkleTree.verify(root!, ['bytes32'], [hash], [...proof])).to.equal(true);
    }
  });

  it('is listed under each of its entities with that entity’s entry alone', async () => {
    const node = await scene.node();
    const receipt = await node.record(await upsert(120), anyWallet());
    expect(await node.entities(0, 1000)).to.deep.include({ count: 120 });
    for (const n of [0, 49, 50, 119]) {
      const [listed, ...more] = (await node.transactions(id(n)))!;
      expect(more).to.deep.equal([]);
      const { entities, ...information } = listed!.additionalInformation;
      expect((entities as BatchEntry[]).map(({ entityId }) => entityId)).to.deep.equal([id(n)]);
      const { entities: _all, ...whole } = receipt.additionalInformation;
      expect(information).to.deep.equal(whole);
    }
    const wanted = [77, 3].map((n) => (receipt.additionalInformation['entities'] as BatchEntry[])[n]!);
    const hashes = new Set([...wanted.map(({ hash }) => hash), `0x${'00'.repeat(32)}` as const]);
    const proofs = await node.storedProofs(receipt.transactionHash, hashes);
    expect(proofs).to.deep.equal(new Map(wanted.map(({ hash, proof }) => [hash, proof])));
    const one = await node.storedProofs(receipt.transactionHash, new Set([wanted[0]!.hash]));
    expect(one).to.deep.equal(new Map([[wanted[0]!.hash, wanted[0]!.proof]]));
  });

  it('with an entity twice lists it twice', async () => {
    const node = await scene.node();
    const entity = (value: number) => ({ id: id(1), type: 'Car', speed: { type: 'Property', value } });
    const body = Buffer.from(JSON.stringify([entity(1), entity(2)]));
    const operation = await operations.of({
      bytes: body,
      name: 'replace',
      common: {
        tenant: undefined,
        link: undefined,
        ldJson: false,
      },
    });
    await node.record(operation, anyWallet());
    expect(await node.transactions(id(1))).to.have.length(2);
  });
});
