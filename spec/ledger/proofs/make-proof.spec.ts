import canonicalize from 'canonicalize';
import { expect } from 'chai';
import { type AnsweredReceipt, makeProof, verifyProof } from '../../../src/library/proof.js';
import {
  building,
  ENTITIES,
  type LedgerService,
  openLedger,
  type Receipt,
  receiptIn,
  UPSERT,
} from '../../e2e/ledger/scene.js';
import { FREE_CHAIN } from '../../servers/chain.js';
import { expectProof } from './checked-proof.js';
import { FUNDED_TOO, mineWith } from './mixed-block.js';

/** Bytes of a file that a block of up to 200 transactions allows. */
const SMALL = 8_000;

describe('a proof made by a node', () => {
  let ledger: LedgerService;
  afterEach(() => ledger.close());

  for (const [chain, args, types] of [
    ['without a base fee', FREE_CHAIN, [0, 1]],
    ['of the London fork', ['--hardfork', 'london'], [0, 1, 2]],
    ['of the Prague fork', ['--hardfork', 'prague'], [0, 1, 2, 3, 4]],
  ] as const) {
    it(`proves records among transactions of all types, on a chain ${chain}`, async () => {
      ledger = await openLedger({ DEFAULT_ACCOUNT_KEY: FUNDED_TOO }, args);
      for (const others of [0, 150]) {
        const entity = building();
        const batch = [building(), building(), building()];
        const [single, whole] = (
          await mineWith(ledger.anvil, others, types, [
            () => ledger.ask(`POST ${ENTITIES}`, entity),
            () => ledger.ask(`POST ${UPSERT}`, batch),
          ])
        ).map(receiptIn);
        await expectMade(single!, entity);
        for (const one of batch) await expectMade(whole!, one);
      }
    });
  }

  async function expectMade(receipt: Receipt, entity: ReturnType<typeof building>): Promise<void> {
    const { url: rpc } = ledger.anvil;
    const file = await makeProof(receipt as unknown as AnsweredReceipt, { entityId: entity.id, rpc });
    const { from } = receipt;
    expect(file).to.include({ mirzamProof: 1, chainId: 1337, entityId: entity.id, from });
    expectProof(file, canonicalize(entity)!, receipt.blockHash);
    const verdict = verifyProof(file, { entity }, { blockHash: receipt.blockHash, from });
    expect(verdict).to.deep.include({ verified: true, trusted: ['contract'] });
    expect(JSON.stringify(file).length).to.be.at.most(SMALL);
  }
});
