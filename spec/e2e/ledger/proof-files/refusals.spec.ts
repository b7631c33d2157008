import canonicalize from 'canonicalize';
import { expect } from 'chai';
import type { Call, Habits } from '../../../chain/proxy.js';
import { anyId, building, ENTITIES, type Receipt, receiptIn, UPSERT } from '../scene.js';
import { expectProof } from '../../../ledger/proofs/checked-proof.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { expectProven, fileIn, NO_HASH, openProofs, type ProofScene } from './scene.js';

type Members = Record<string, unknown>;

describe('a proof file that cannot be given', () => {
  let scene: ProofScene;
  let entity: ReturnType<typeof building>;
  let receipt: Receipt;
  before(async () => {
    scene = await openProofs({ LEDGER_FINALITY: '3' });
  });
  beforeEach(async () => {
    scene.proxy.become({});
    entity = building();
    receipt = receiptIn(await scene.ask(`POST ${ENTITIES}`, entity));
  });
  after(() => scene.close());

  const mine = async (blocks: number): Promise<void> => {
    for (let i = 0; i < blocks; i += 1) await scene.anvil.rpc('evm_mine');
  };
  const expectRefused = async (
    status: number,
    why: RegExp,
    query = `entity=${entity.id}`,
  ): Promise<Members> => {
    const answer = await scene.proof(receipt.transactionHash, query);
    expect(answer.status, answer.text).to.equal(status);
    expect(answer.headers.get('content-type')).to.equal('application/problem+json');
    expect(answer.body).to.have.property('detail').that.matches(why);
    return answer.body;
  };
  /** Has the node answer with changed blocks and receipts. */
  const forge = (method: string, change: (result: Members) => unknown, more: Habits = {}): void => {
    scene.proxy.become({
      ...more,
      edit: (call: Call, result) =>
        call.method === method && result !== null ? change(result as Members) : result,
    });
  };

  const otherType = ({ transactions, ...block }: Members): Members => ({
    ...block,
    transactions: (transactions as Members[]).map((tx) => ({ ...tx, type: '0x7e' })),
  });

  it('400 says which parameter is wrong', async () => {
    await expectRefused(400, /^entity: must be the id/, '');
    await expectRefused(400, /^entity: must be the id .* not "barn"/, 'entity=barn');
    await expectRefused(400, /^hash: must be 0x and 64/, `entity=${entity.id}&hash=0x12`);
    await expectRefused(400, /no parameter "key"/, `entity=${entity.id}&key=1`);
    const { status } = await scene.proof('0x12', `entity=${entity.id}`);
    expect(status).to.equal(400);
  });

  it('404 for a transaction, an entity or a hash that is unknown', async () => {
    const unknown = await scene.proof(NO_HASH, `entity=${entity.id}`);
    expect([unknown.status, unknown.body]).to.have.nested.property('[1].status', 404);
    await expectRefused(404, /is not about the entity/, `entity=${anyId()}`);
    await expectRefused(404, /with the hash/, `entity=${entity.id}&hash=${NO_HASH}`);
    receipt = receiptIn(await scene.ask(`POST ${UPSERT}`, [building(), building()]));
    await expectRefused(404, /is not about the entity/, `entity=${anyId()}`);
  });

  it('404 for another tenant', async () => {
    const own = building();
    receipt = receiptIn(await scene.ask(`POST ${ENTITIES}`, own, { 'NGSILD-Tenant': 'one' }));
    await mine(3);
    const ask = (tenant: string) =>
      scene.ask(`GET /ledger/proofs/${receipt.transactionHash}?entity=${own.id}`, undefined, {
        'NGSILD-Tenant': tenant,
      });
    expect([(await ask('two')).status, (await ask('one')).status]).to.deep.equal([404, 200]);
  });

  it('409 until the block is final, with the block from which it is', async () => {
    const finalFrom = receipt.blockNumber + 2;
    expect(await expectRefused(409, /is not final yet/)).to.include({ finalFrom });
    await mine(1);
    expect(await expectRefused(409, /is not final yet/)).to.include({ finalFrom });
    await mine(1);
    await expectProven(scene, receipt, entity.id, entity);
  });

  it('409 where nothing was recorded', async () => {
    const code = await scene.anvil.rpc('eth_getCode', [receipt.logs[0]!.address, 'latest']);
    const { address } = receipt.logs[0]!;
    // A contract that stops without an event.
    await scene.anvil.rpc('anvil_setCode', [address, '0x00']);
    try {
      receipt = receiptIn(await scene.ask(`POST ${ENTITIES}`, entity));
    } finally {
      await scene.anvil.rpc('anvil_setCode', [address, code]);
    }
    expect(receipt.statusOK).to.equal(false);
    await mine(3);
    await expectRefused(409, /nothing to prove: the transaction has recorded nothing/);
  });

  it('409 while a reorganisation removes the block, and the proof of its new block then', async () => {
    await mine(3);
    let removed = false;
    scene.proxy.become({
      async edit({ method }, result) {
        if (method === 'eth_getBlockByHash' && !removed) {
          removed = true;
          await scene.anvil.rpc('anvil_reorg', [4, []]);
        }
        return result;
      },
    });
    await expectRefused(409, /is not part of the chain any more/);
    expect(removed).to.equal(true);
    const file = await eventually(
      async () => {
        await mine(1);
        const answer = await scene.proof(receipt.transactionHash, `entity=${entity.id}`);
        return answer.status === 200 ? fileIn(answer) : undefined;
      },
      SOON_MS,
      () => 'no proof of the new block',
    );
    const number = `0x${file.block.number.toString(16)}`;
    const { hash } = (await scene.anvil.rpc('eth_getBlockByNumber', [number, false])) as { hash: string };
    expect(hash).not.to.equal(receipt.blockHash);
    expectProof(file, canonicalize(entity)!, hash);
  });

  it('409 while the chain goes back to where the block was not there', async () => {
    const snapshot = await scene.anvil.rpc('evm_snapshot');
    const own = building();
    receipt = receiptIn(await scene.ask(`POST ${ENTITIES}`, own));
    await mine(3);
    scene.proxy.become({
      async edit({ method }, result) {
        if (method === 'eth_getBlockByHash') await scene.anvil.rpc('evm_revert', [snapshot]);
        return result;
      },
    });
    await expectRefused(409, /is not part of the chain any more/, `entity=${own.id}`);
  });

  it('502 if the node has deleted the block, 503 if it does not answer', async () => {
    await mine(3);
    scene.proxy.become({ edit: ({ method }, result) => (method === 'eth_getBlockByHash' ? null : result) });
    await expectRefused(502, /does not have the block/);
    scene.proxy.become({ answer: { status: 500, body: '' } });
    await expectRefused(503, /does not answer/);
    scene.proxy.become({});
    await expectProven(scene, receipt, entity.id, entity);
  });

  it('501 for a header of a form that is not known', async () => {
    await mine(3);
    forge('eth_getBlockByHash', (block) => ({ ...block, extraData: '0x1234' }));
    await expectRefused(501, /the chain has a header of a form that is not known/);
  });

  it('none for transactions of a type that is not known, if the node gives their raw form', async () => {
    await mine(3);
    forge('eth_getBlockByHash', otherType);
    const { proxy } = scene;
    const before = proxy.count('debug_getRawTransaction');
    await expectProven(scene, receipt, entity.id, entity);
    expect(proxy.count('debug_getRawTransaction')).to.equal(before + 1);
  });

  it('501 for transactions of a type that is not known', async () => {
    await mine(3);
    const refused = { debug_getRawTransaction: { code: -32_000, message: 'not today' } };
    forge('eth_getBlockByHash', otherType, { refused });
    await expectRefused(501, /the chain has a transaction of the type 0x7e/);
  });

  it('501 for receipts that do not lead to the root in the header', async () => {
    await mine(3);
    forge('eth_getBlockReceipts', (receipts) =>
      (receipts as unknown as Members[]).map((one) => ({ ...one, cumulativeGasUsed: '0x1' })),
    );
    await expectRefused(501, /receipts of a form that is not known/);
    forge('eth_getBlockReceipts', () => []);
    await expectRefused(501, /no receipt of 0x/);
  });
});
