import { Readable } from 'node:stream';
import { expect } from 'chai';
import { runCommandLine } from '../../../../src/command/command-line.js';
import { mineWith } from '../../../ledger/proofs/mixed-block.js';
import { writtenFiles } from '../../../written-files.js';
import { runService } from '../../running-service.js';
import { building, ENTITIES, ledgerClient, type Receipt, receiptIn, UPSERT } from '../scene.js';
import { expectProven, fileIn, openProofs, type ProofScene } from './scene.js';

describe('a proof file that was made', () => {
  const written = writtenFiles();
  let scene: ProofScene;
  beforeEach(async () => {
    scene = await openProofs();
  });
  afterEach(() => scene.close());

  it('is kept, with those of its block: the node is asked once, whoever asks', async () => {
    const [entity, ...batch] = [building(), building(), building(), building(), building()];
    const entities = [entity, building(), building()];
    const answers = await mineWith(
      scene.anvil,
      20,
      [0, 1],
      [
        ...entities.map((one) => () => scene.ask(`POST ${ENTITIES}`, one)),
        () => scene.ask(`POST ${UPSERT}`, batch),
      ],
    );
    const receipts = answers.map(receiptIn);
    const ask = (): Promise<unknown> =>
      Promise.all([
        ...entities.map((one, i) => expectProven(scene, receipts[i]!, one.id, one)),
        ...batch.map((one) => expectProven(scene, receipts.at(-1)!, one.id, one)),
      ]);
    await ask();
    await ask();
    expect(scene.proxy.count('eth_getBlockByHash')).to.equal(1);
  });

  describe('and whose chain has ended', () => {
    let entity: ReturnType<typeof building>;
    let batch: ReturnType<typeof building>[];
    let receipts: readonly Receipt[];
    beforeEach(async () => {
      entity = building();
      batch = [building(), building()];
      receipts = [
        receiptIn(await scene.ask(`POST ${ENTITIES}`, entity)),
        receiptIn(await scene.ask(`POST ${UPSERT}`, batch)),
      ];
      await expectAll(scene);
    });

    async function expectAll(by: Pick<ProofScene, 'proof'>): Promise<void> {
      await expectProven(by, receipts[0]!, entity.id, entity);
      for (const one of batch) await expectProven(by, receipts[1]!, one.id, one);
    }

    it('outlives the chain and a restart of the service', async () => {
      await scene.anvil.stop();
      await expectAll(scene);
      await scene.restart();
      await expectAll(scene);
      const unmade = await scene.ask(`GET /ledger/proofs/0x${'1'.repeat(64)}?entity=${entity.id}`);
      expect(unmade.status, unmade.text).to.equal(503);
    });

    it('is in an export, and in the store that it is imported to', async () => {
      const { text } = await scene.ask('GET /operator/export');
      const file = await written.file('export.ndjson', text);
      await scene.anvil.stop();
      const folder = written.pathOf('data');
      const streams = {
        stdin: Readable.from([]),
        stdout: { write: () => undefined },
        stderr: { write: () => undefined, isTTY: false },
      };
      const settings = { ...scene.settings, DATA_DIR: folder };
      const environment = () => settings;
      expect(await runCommandLine(['import', file], { streams, version: '0.1.0', environment })).to.equal(0);
      const other = await runService(settings);
      try {
        const client = ledgerClient(other.url);
        await expectAll({ proof: (hash, query) => client.ask(`GET /ledger/proofs/${hash}?${query}`) });
      } finally {
        await other.close();
      }
    });
  });

  it('is the same as the library makes of the receipt', async () => {
    const { makeProof } = await import('../../../../src/library/proof.js');
    const entity = building();
    const receipt = receiptIn(await scene.ask(`POST ${ENTITIES}`, entity));
    const file = fileIn(await scene.proof(receipt.transactionHash, `entity=${entity.id}`));
    const made = await makeProof(receipt as never, { entityId: entity.id, rpc: scene.anvil.url });
    expect(made).to.deep.equal(file);
  });
});
