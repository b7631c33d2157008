import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { anyId, building, ENTITIES, type Receipt, receiptIn, sharedLedger, UPSERT } from './scene.js';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

/** Contents of the five operations: how each is recorded, and what is claimed of it. */
describe('proofs of what was recorded', () => {
  const ledger = sharedLedger();

  const said = async (claim: object): Promise<Record<string, unknown>> => {
    const { status, body, text } = await ledger().ask('POST /ledger/verify', claim);
    expect(status, text).to.equal(200);
    return body;
  };
  const expectVerdicts = async (
    { transactionHash, from, blockHash, blockNumber, additionalInformation }: Receipt,
    operation: string,
    right: object,
    wrong: readonly object[],
  ): Promise<void> => {
    const { hash, assetId } = additionalInformation;
    const verdict = await said({ transactionHash, ...right });
    expect(verdict).to.include({ verified: true, operation, from, blockHash, blockNumber, hash, assetId });
    expect(Math.abs(Date.parse(String(verdict['recordedAt'])) - Date.now())).to.be.lessThan(120_000);
    for (const claim of wrong) {
      const other = await said({ transactionHash, ...claim });
      expect(other, JSON.stringify(claim)).to.include({ verified: false, from, blockHash });
      expect(other['reason']).to.be.a('string');
    }
  };

  it('L1: the entity, and nothing that differs from it', async () => {
    const entity = building();
    const receipt = receiptIn(await ledger().ask(`POST ${ENTITIES}`, entity));
    await expectVerdicts(receipt, 'create', { entity }, [
      { entity: { ...entity, name: { type: 'Property', value: 'The small red barn' } } },
      { entity: { ...entity, id: anyId() } },
      { entity: { ...entity, extra: 1 } },
      { entityId: entity.id, fragment: { name: entity.name } },
      { query: { entityId: entity.id } },
    ]);
  });

  it('L2: the query, for whom it was', async () => {
    const user = anyId('User');
    const asked = `GET ${ENTITIES}?type=Building&limit=5`;
    const receipt = receiptIn(await ledger().ask(asked, undefined, { 'Related-Entity': user }));
    const query = { type: 'Building', limit: 5 };
    await expectVerdicts(receipt, 'query', { query }, [
      { query: { ...query, limit: 6 } },
      { query: { type: 'Building' } },
      { query, relatedEntity: anyId('User') },
    ]);
    await expectVerdicts(receipt, 'query', { query, relatedEntity: user }, []);
  });

  it('L3: the fragment, of its entity', async () => {
    const [entityId, other] = [anyId(), anyId()];
    const fragment = { name: { type: 'Property', value: 'new' }, n: 1 };
    const receipt = receiptIn(await ledger().ask(`POST /ngsi-ld/v1/entities/${entityId}/attrs`, fragment));
    await expectVerdicts(receipt, 'update', { entityId, fragment }, [
      { entityId, fragment: { ...fragment, n: 2 } },
      { entityId: other, fragment },
    ]);
  });

  it('L4: the query, of its entity', async () => {
    const entityId = anyId();
    const receipt = receiptIn(await ledger().ask(`GET /ngsi-ld/v1/entities/${entityId}?attrs=name`));
    await expectVerdicts(receipt, 'retrieve', { query: { entityId, attrs: 'name' } }, [
      { query: { entityId } },
      { query: { entityId: anyId(), attrs: 'name' } },
    ]);
  });

  it('L5: each entity, by the proof of its own or the one that is kept', async () => {
    const batch = Array.from({ length: 9 }, (_, n) => building(anyId(), `Barn ${n}`));
    const receipt = receiptIn(await ledger().ask(`POST ${UPSERT}`, batch));
    const entries = receipt.additionalInformation.entities!;
    for (const [index, entity] of batch.entries()) {
      const { proof } = entries[index]!;
      await expectVerdicts(receipt, 'upsert', { entity, proof }, [
        { entity: { ...entity, n: 1 } },
        { entity: { ...entity, n: 1 }, proof },
        { entity, proof: entries[(index + 1) % 9]!.proof },
        { entity, proof: [] },
      ]);
      await expectVerdicts(receipt, 'upsert', { entity }, []);
    }
  });

  it('npx mirzam verify says the same of a receipt, without the service', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mirzam-proofs-'));
    const file = async (name: string, content: unknown): Promise<string> => {
      const path = join(folder, name);
      await writeFile(path, JSON.stringify(content));
      return path;
    };
    const run = (...args: readonly string[]): Promise<{ code: number; out: string }> =>
      new Promise((resolve) => {
        const all = [MAIN, 'verify', '--rpc', ledger().anvil.url, '--contract', ledger().contract, ...args];
        const env = { PATH: process.env['PATH'] };
        const child = execFile(process.execPath, all, { env }, (_error, out) => {
          resolve({ code: child.exitCode ?? -1, out });
        });
      });
    try {
      const batch = [building(), building(), building()];
      const receipt = await file('receipt.json', receiptIn(await ledger().ask(`POST ${UPSERT}`, batch)));
      const right = await run('--receipt', receipt, '--entity', await file('entity.json', batch[1]));
      expect(right.code, right.out).to.equal(0);
      expect(right.out).to.match(/^VERIFIED/);
      const tampered = await file('tampered.json', { ...batch[1]!, type: 'Castle' });
      const wrong = await run('--receipt', receipt, '--entity', tampered, '--json');
      expect(wrong.code, wrong.out).to.equal(1);
      expect(JSON.parse(wrong.out)).to.include({ verified: false });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
