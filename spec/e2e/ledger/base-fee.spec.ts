import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { FREE_CHAIN } from '../../servers/chain.js';
import { expectProven, openProofs, type ProofScene } from './proof-files/scene.js';
import { anyId, building, ENTITIES, type Receipt, receiptIn, UPSERT } from './scene.js';

/** Time between blocks, s. `LONG_BLOCKS` runs the specs on slow chains too, which takes a minute. */
const PERIODS = process.env['LONG_BLOCKS'] === undefined ? [1] : [1, 12];

/** The type of a receipt's transaction. */
async function typeOf({ anvil }: ProofScene, { transactionHash }: Receipt): Promise<number> {
  const found = await anvil.rpc('eth_getTransactionByHash', [transactionHash]);
  return Number((found as { readonly type: string }).type);
}

describe('the default account on a chain with a base fee', () => {
  let scene: ProofScene;
  afterEach(() => scene.close());

  const recorded = async (entity: object): Promise<Receipt> =>
    receiptIn(await scene.ask(`POST ${ENTITIES}`, entity));

  it('records in transactions of EIP-1559, whose proofs verify', async () => {
    scene = await openProofs({}, []);
    const [entity, ...batch] = [building(), building(), building()];
    const receipt = await recorded(entity);
    const ofBatch = receiptIn(await scene.ask(`POST ${UPSERT}`, batch));
    for (const one of [receipt, ofBatch]) expect(await typeOf(scene, one)).to.equal(2);
    await expectProven(scene, receipt, entity.id, entity);
    for (const one of batch) await expectProven(scene, ofBatch, one.id, one);
    const { transactionHash } = receipt;
    const { body } = await scene.ask('POST /ledger/verify', { transactionHash, entity });
    expect(body).to.include({ verified: true });
  });

  for (const seconds of PERIODS) {
    it(`records where a block comes each ${seconds} s`, async () => {
      scene = await openProofs({ LEDGER_WAIT_S: '40' }, ['--block-time', String(seconds)]);
      const entities = Array.from({ length: 20 }, () => building());
      const receipts = await Promise.all(entities.map(recorded));
      const last = building(anyId(), 'in a later block');
      receipts.push(await recorded(last));
      for (const receipt of receipts) expect(await typeOf(scene, receipt)).to.equal(2);
      await expectProven(scene, receipts.at(-1)!, last.id, last);
      // One block each, and one more for those that came late.
      expect(scene.proxy.count('eth_feeHistory')).to.be.within(1, 4);
    });
  }

  it('records in legacy transactions before the chain has one, and in those of EIP-1559 from the fork on', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mirzam-fork-'));
    const state = ['--state', join(folder, 'state.json')];
    try {
      scene = await openProofs({ GAS_BUMP_AFTER_S: '0.5' }, [...FREE_CHAIN, ...state]);
      const before = building();
      const old = await recorded(before);
      expect(await typeOf(scene, old)).to.equal(0);
      await scene.anvil.kill('SIGTERM');
      await scene.anvil.restart(['--hardfork', 'london', '--block-time', '1', ...state]);
      await scene.anvil.rpc('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00']);
      // The service may not have seen the first block of the new rules yet. What it signs for the old ones is replaced.
      await eventually(
        async () => ((await typeOf(scene, await recorded(building()))) === 2 ? true : undefined),
        SOON_MS,
        () => 'all transactions are legacy ones',
      );
      const after = building();
      const receipt = await recorded(after);
      expect(await typeOf(scene, receipt)).to.equal(2);
      await expectProven(scene, receipt, after.id, after);
      await expectProven(scene, old, before.id, before);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
