import { expect } from 'chai';
import type { Hex } from '../../../../src/chain/port.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { sendMixed } from '../../../ledger/proofs/mixed-block.js';
import { type Geth, specGeth } from '../../../servers/geth.js';
import { allVerifiers, provenBy } from '../proof-files/all-verifiers.js';
import { anyId, building, ENTITIES, receiptIn, UPSERT } from '../scene.js';
import { BLOB_SENDER, deployOn, type GethLedger, ledgerOn } from './scene.js';

/** Types of other transactions in a block; that of blobs apart. */
const [TYPES, BLOBS] = [[0, 1, 2, 4], 3];
/** A priority fee of blocks that nobody offers. The pool takes lower ones. */
const HELD = ['--miner.gasprice', '1000000000000', '--gpo.maxprice', '2'];

/** Rules of the chain, with the fields that its headers have. */
const RULES = {
  Osaka: { args: [], appended: 'requestsHash' },
  Amsterdam: { args: ['--override.amsterdam', '0'], appended: 'blockAccessListHash' },
} as const;

interface Block {
  readonly transactions: readonly { readonly type: Hex }[];
  readonly [field: string]: unknown;
}

for (const [rules, { args, appended }] of Object.entries(RULES)) {
  describe(`proof files of go-ethereum with the rules of ${rules}`, () => {
    const startGeth = specGeth();
    const expectVerified = allVerifiers();
    let geth: Geth;
    let ledger: GethLedger | undefined;
    before(async () => {
      const always = ['--dev.period', '1', ...args];
      geth = await startGeth(always);
      const contract = await deployOn(geth);
      await geth.kill('SIGTERM');
      await geth.restart([...always, ...HELD]);
      ledger = await ledgerOn(geth, contract);
    });
    after(() => ledger?.running.close());

    /** Resolves once the pool has a number of transactions. */
    const untilPending = async (count: number, send?: () => Promise<unknown>): Promise<void> => {
      const isThere = async (): Promise<true | undefined> => {
        await send?.();
        const { pending } = (await geth.rpc('txpool_status')) as { readonly pending: Hex };
        return Number(pending) === count || undefined;
      };
      await eventually(isThere, SOON_MS, () => 'the pool lacks transactions');
    };

    it('are verified by all verifiers, in a block with transactions of types 0 to 4', async () => {
      const client = ledger!;
      const entity = building();
      const batches = [1, 2, 3, 100].map((size) => Array.from({ length: size }, () => building(anyId())));
      // The first blob takes the node long: the request may time out.
      await untilPending(1, () => sendMixed(geth, 1, [BLOBS], BLOB_SENDER).catch(() => undefined));
      await sendMixed(geth, 2 * TYPES.length, TYPES);
      const recording = Promise.all([
        client.ask(`POST ${ENTITIES}`, entity),
        client.ask(`GET ${ENTITIES}${entity.id}`),
        ...batches.map((batch) => client.ask(`POST ${UPSERT}`, batch)),
      ]);
      await untilPending(1 + 2 * TYPES.length + 2 + batches.length);
      await geth.rpc('miner_setGasPrice', ['0x1']);
      const [single, retrieval, ...upserts] = await recording;
      const { blockHash } = receiptIn(single);
      for (const answer of [retrieval, ...upserts]) expect(receiptIn(answer)).to.include({ blockHash });
      const block = (await geth.rpc('eth_getBlockByHash', [blockHash, true])) as Block;
      expect(block).to.have.property(appended);
      const types = new Set(block.transactions.map(({ type }) => Number(type)));
      expect([...types]).to.have.members([...TYPES, BLOBS]);
      const proofs = await Promise.all([
        provenBy(client, single, 'entity', entity.id, entity),
        provenBy(client, retrieval, 'query', entity.id, { entityId: entity.id }),
        ...batches.map((batch, i) =>
          provenBy(client, upserts[i]!, 'entity', batch.at(-1)!.id, batch.at(-1)!),
        ),
      ]);
      await expectVerified(proofs);
    });
  });
}
