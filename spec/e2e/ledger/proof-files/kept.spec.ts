import { Readable } from 'node:stream';
import { deflateRawSync } from 'node:zlib';
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

    /** Imports an export into an empty store, and calls `use` with a client of a service there. */
    async function imported(
      text: string,
      use: (client: ReturnType<typeof ledgerClient>) => Promise<void>,
    ): Promise<void> {
      const file = await written.file('export.ndjson', text);
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
        await use(ledgerClient(other.url));
      } finally {
        await other.close();
      }
    }

    it('is in an export, and in the store that it is imported to', async () => {
      const { text } = await scene.ask('GET /operator/export');
      await scene.anvil.stop();
      await imported(text, (client) =>
        expectAll({ proof: (hash, query) => client.ask(`GET /ledger/proofs/${hash}?${query}`) }),
      );
    });

    it('is refused by its block if a build before release 0.1.0 has stored it', async () => {
      const content = JSON.stringify({ header: '0x00', nodes: ['0x01'], proofs: [['0x02', 0, [0], [0]]] });
      const page = JSON.stringify({ deflated: deflateRawSync(content).toString('base64') });
      const { text } = await scene.ask('GET /operator/export');
      const lines = text.split('\n').map((line) => {
        if (!line.startsWith('{"id":"page/proof/')) return line;
        const document = JSON.parse(line) as { readonly rare: string };
        return JSON.stringify({ ...document, rare: JSON.stringify({ text: page }) });
      });
      await imported(lines.join('\n'), async (client) => {
        const [{ transactionHash, blockNumber, blockHash }] = receipts as [Receipt];
        const answer = await client.ask(`GET /ledger/proofs/${transactionHash}?entity=${entity.id}`);
        expect(answer.status, answer.text).to.equal(501);
        const { detail } = answer.body as unknown as { readonly detail: string };
        expect(detail).to.include(`of the block ${blockNumber} (${blockHash})`);
        expect(detail).to.include('record the entity again');
        const verified = await client.ask('POST /ledger/verify', { transactionHash, entity });
        expect(verified.status, verified.text).to.equal(200);
      });
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
