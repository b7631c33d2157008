import { expect } from 'chai';
import { mineWith } from '../../../ledger/proofs/mixed-block.js';
import { FREE_CHAIN } from '../../../servers/chain.js';
import { anyId, building, ENTITIES, type Receipt, receiptIn, UPSERT } from '../scene.js';
import { expectProven, fileIn, LARGE, openProofs, type ProofScene, SMALL } from './scene.js';

describe('the proof file', () => {
  let scene: ProofScene;
  before(async () => {
    scene = await openProofs();
  });
  after(() => scene.close());

  const recorded = async (
    asked: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Receipt> => receiptIn(await scene.ask(asked, body, headers));

  it('L1 to L4: proves the entity, the query, the fragment and the retrieval', async () => {
    const entity = building();
    await expectProven(scene, await recorded(`POST ${ENTITIES}`, entity), entity.id, entity);
    const query = { type: 'Building', limit: 5 };
    const asked = `GET ${ENTITIES}?type=Building&limit=5`;
    await expectProven(scene, await recorded(asked), 'urn:ngsi-ld:requestor:default', query);
    const user = anyId('User');
    await expectProven(scene, await recorded(asked, undefined, { 'Related-Entity': user }), user, query);
    const fragment = { name: { type: 'Property', value: 'new' } };
    const update = await recorded(`POST /ngsi-ld/v1/entities/${entity.id}/attrs`, fragment);
    await expectProven(scene, update, entity.id, fragment);
    const retrieval = await recorded(`GET /ngsi-ld/v1/entities/${entity.id}?attrs=name`);
    await expectProven(scene, retrieval, entity.id, { entityId: entity.id, attrs: 'name' });
  });

  for (const count of [1, 2, 3, 100]) {
    it(`L5: proves each entity of a batch of ${count}`, async () => {
      const batch = Array.from({ length: count }, (_, n) => building(anyId(), `Barn ${n}`));
      const receipt = await recorded(`POST ${UPSERT}`, batch);
      for (const entity of batch) {
        const { batch: way } = await expectProven(scene, receipt, entity.id, entity);
        expect(way).to.be.an('object');
      }
    });
  }

  it('of an id that a batch has twice needs the hash', async () => {
    const [id, other] = [anyId(), building()];
    const receipt = await recorded(`POST ${UPSERT}`, [building(id, 'a'), other, building(id, 'b')]);
    const entries = receipt.additionalInformation.entities!;
    const hashes = [entries[0]!.hash, entries[2]!.hash];
    const { status, text } = await scene.proof(receipt.transactionHash, `entity=${id}`);
    expect(status).to.equal(400);
    for (const hash of hashes) {
      expect(text).to.include(hash);
      const file = fileIn(await scene.proof(receipt.transactionHash, `entity=${id}&hash=${hash}`));
      expect(file.hash).to.equal(hash);
    }
  });

  it('takes Accept application/json too, and refuses what cannot be it', async () => {
    const entity = building();
    const { transactionHash } = await recorded(`POST ${ENTITIES}`, entity);
    const path = `GET /ledger/proofs/${transactionHash}?entity=${entity.id}`;
    fileIn(await scene.ask(path, undefined, { accept: 'application/json' }));
    expect((await scene.ask(path, undefined, { accept: 'text/html' })).status).to.equal(406);
  });
});

describe('the proof files of a block with transactions of all types', () => {
  for (const [chain, args, types] of [
    ['without a base fee', FREE_CHAIN, [0, 1]],
    ['with one', ['--hardfork', 'prague'], [0, 1, 2, 4]],
  ] as const) {
    it(`on a chain ${chain}: have the allowed size`, async () => {
      const scene = await openProofs({}, args);
      try {
        for (const others of [1, 195, 298]) {
          const entity = building();
          const batch = [building(), building(), building()];
          const receipts = await mineWith(scene.anvil, others, types, [
            () => scene.ask(`POST ${ENTITIES}`, entity),
            () => scene.ask(`POST ${UPSERT}`, batch),
          ]);
          const [single, whole] = receipts.map(receiptIn);
          const largest = others < 200 ? SMALL : LARGE;
          await expectProven(scene, single!, entity.id, entity, largest);
          for (const one of batch) await expectProven(scene, whole!, one.id, one, largest);
        }
      } finally {
        await scene.close();
      }
    });
  }
});
