import { expect } from 'chai';
import { eventually } from '../../../faults/stage/eventually.js';
import { FREE_CHAIN } from '../../../servers/chain.js';
import { anyId, building, ENTITIES, receiptIn, UPSERT } from '../scene.js';
import { expectProven, openProofs, type ProofScene } from './scene.js';

const FULL = process.env['FAULTS'] === 'full';
/** Of so many entities of a large batch one is proven. */
const EVERY = FULL ? 1 : 20;
const CALLERS = 32;
const EACH = FULL ? 100 : 10;
/** Time in which the proofs of all blocks are made, ms: a block is final after three seconds at the earliest. */
const MADE_MS = 60_000;

describe('proof files of many records', () => {
  let scene: ProofScene | undefined;
  afterEach(() => scene?.close());

  it('are right for the entities of a batch of 10,000', async () => {
    scene = await openProofs();
    const batch = Array.from({ length: 10_000 }, (_, n) => building(anyId(), `Barn ${n}`));
    const receipt = receiptIn(await scene.ask(`POST ${UPSERT}`, batch));
    for (let i = 0; i < batch.length; i += EVERY) {
      await expectProven(scene, receipt, batch[i]!.id, batch[i]!);
    }
    expect(scene.proxy.count('eth_getBlockByHash')).to.equal(1);
  });

  const chains = [
    ['blocks of 1 s and a base fee', ['--block-time', '1']],
    ['a block for each transaction', FREE_CHAIN],
    ['blocks of 1 s', [...FREE_CHAIN, '--block-time', '1']],
    ['blocks of 12 s', [...FREE_CHAIN, '--block-time', '12']],
  ] as const;
  for (const [chain, args] of FULL ? chains : chains.slice(0, 1)) {
    it(`outlive a node that keeps no old blocks, with LEDGER_PROOFS=always, on a chain with ${chain}`, async () => {
      scene = await openProofs({ LEDGER_PROOFS: 'always' }, args);
      const { proxy } = scene;
      const ask: ProofScene['ask'] = (...asked) => scene!.ask(...asked);
      const entities = Array.from({ length: CALLERS * EACH }, () => building());
      const left = [...entities];
      const receipts = new Map<string, ReturnType<typeof receiptIn>>();
      const caller = async (): Promise<void> => {
        for (let entity = left.pop(); entity !== undefined; entity = left.pop())
          receipts.set(entity.id, receiptIn(await ask(`POST ${ENTITIES}`, entity)));
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      const blocks = new Set([...receipts.values()].map(({ blockHash }) => blockHash)).size;
      // The actor of a block ends once its proofs are kept.
      await eventually(
        async () => {
          const { body } = await ask('GET /operator/actors?kind=block');
          return (body['actors'] as unknown as readonly unknown[]).length === 0 || undefined;
        },
        MADE_MS,
        () => 'not all blocks are proven',
      );
      proxy.become({ edit: ({ method }, result) => (method === 'eth_getBlockByHash' ? null : result) });
      for (const entity of entities) {
        await expectProven(scene, receipts.get(entity.id)!, entity.id, entity);
      }
      expect(proxy.count('eth_getBlockByHash')).to.equal(blocks);
    });
  }
});
