import { expect } from 'chai';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import { FREE_CHAIN } from '../../../servers/chain.js';
import { expectProblem } from '../problem.js';
import {
  anyId,
  building,
  ENTITIES,
  type LedgerService,
  type Receipt,
  receiptIn,
  sharedLedger,
} from '../scene.js';

/** Blocks come when a spec says so. */
const BY_HAND = [...FREE_CHAIN, '--no-mining'];

/** Resolves once the node has so many transactions that wait for a block. */
async function waiting({ anvil }: LedgerService, count: number): Promise<void> {
  const arrived = async (): Promise<true | undefined> => {
    const { pending } = (await anvil.rpc('txpool_status')) as { pending: string };
    return Number(pending) === count ? true : undefined;
  };
  await eventually(arrived, SOON_MS, () => `there are not ${count} transactions in the pool`);
}

const mine = ({ anvil }: LedgerService): Promise<unknown> => anvil.rpc('evm_mine');

/** The only receipt of an entity, once there is one. */
function listedLater(ledger: LedgerService, id: string): Promise<Receipt> {
  return eventually(
    async () => (await ledger.trace(id))[0],
    SOON_MS,
    () => `${id} is not listed`,
  );
}

describe('LEDGER_CONFIRMATIONS', () => {
  const ledger = sharedLedger({ LEDGER_CONFIRMATIONS: '2' }, BY_HAND);

  it('are blocks that the transaction lies under when it is answered', async () => {
    const entity = building();
    let isAnswered = false;
    const answer = ledger().ask(`POST ${ENTITIES}`, entity);
    void answer.then(() => (isAnswered = true));
    await waiting(ledger(), 1);
    await mine(ledger());
    for (let i = 0; i < 30; i += 1) expect(await ledger().trace(entity.id)).to.deep.equal([]);
    expect(isAnswered).to.equal(false);
    await mine(ledger());
    const receipt = receiptIn(await answer);
    const head = Number(await ledger().anvil.rpc('eth_blockNumber'));
    expect(receipt.blockNumber).to.equal(head - 1);
    expect(await ledger().trace(entity.id)).to.deep.equal([receipt]);
  });
});

describe('a block that does not come in time', () => {
  const ledger = sharedLedger({ LEDGER_WAIT_S: '3' }, BY_HAND);

  it('is 504 that names the transaction, whose receipt appears when the block is there', async () => {
    const id = anyId();
    const late = await ledger().ask(`POST ${ENTITIES}`, building(id));
    expectProblem(late, 504, 'about:blank');
    const hash = late.body['transactionHash'] as unknown as string;
    expect(hash).to.match(/^0x[0-9a-f]{64}$/);
    expect(await ledger().trace(id)).to.deep.equal([]);
    await mine(ledger());
    const receipt = await listedLater(ledger(), id);
    expect(receipt).to.include({ transactionHash: hash, statusOK: true });
    const { records } = (await ledger().ask('GET /entity')).body as unknown as {
      records: { entityId: string; txDetails: unknown }[];
    };
    expect(records.find(({ entityId }) => entityId === id)).to.deep.equal({
      entityId: id,
      txDetails: [receipt],
    });
  });

  it('keeps the Idempotency-Key: the same again gives the transaction under way, later its receipt', async () => {
    const id = anyId();
    const again = () => ledger().ask(`POST ${ENTITIES}`, building(id), { 'Idempotency-Key': id });
    const [first, second] = [await again(), await again()];
    for (const answer of [first, second]) expectProblem(answer, 504, 'about:blank');
    expect(second.body['transactionHash']).to.equal(first.body['transactionHash']);
    await mine(ledger());
    const receipt = await listedLater(ledger(), id);
    expect(receiptIn(await again())).to.deep.equal(receipt);
    expect(receipt.transactionHash).to.equal(first.body['transactionHash']);
    expect(await ledger().trace(id)).to.have.length(1);
  });
});
