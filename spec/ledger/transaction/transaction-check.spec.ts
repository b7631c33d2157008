import { expect } from 'chai';
import type { Effect } from '../../../src/actors/kind.js';
import type { ChainReceipt } from '../../../src/chain/port.js';
import { TRANSACTION, transactionAddress } from '../../../src/ledger/addresses.js';
import { effectRun } from '../../actors/stage/effect-run.js';
import { CHAIN, ledgerKind, NOON, receiptIn, signedTransaction, word } from '../driven-ledger.js';

const RECORDED = receiptIn(7);

/** Has a transaction of a chain checked by a node that is on `CHAIN`, where it has this receipt now. */
async function check(chain: string, now: ChainReceipt | undefined) {
  const watched: (readonly [chain: string, ChainReceipt])[] = [];
  const kind = ledgerKind(TRANSACTION, {
    chain: { name: CHAIN, receipt: async () => now } as never,
    blockWatch: { watch: async (...[, name, receipt]) => void watched.push([name, receipt]) },
  });
  const event = await (kind.effects['check'] as Effect)(
    { id: 'check:1', type: 'check' } as never,
    { signed: signedTransaction(0), receipt: RECORDED, replacements: [] } as never,
    effectRun(transactionAddress(chain, word(1000))),
  );
  expect(event).to.include({ type: 'checked', now: NOON, entryId: 'check:1' });
  return { receipt: (event as { receipt?: ChainReceipt }).receipt, watched };
}

describe('a check of a transaction', () => {
  it('watches the block that the transaction is in now', async () => {
    const other = receiptIn(8, 'b');
    expect(await check(CHAIN, other)).to.deep.equal({ receipt: other, watched: [[CHAIN, other]] });
  });

  it('finds that the transaction is in no block', async () => {
    expect(await check(CHAIN, undefined)).to.deep.equal({ receipt: undefined, watched: [] });
  });

  it('keeps the known receipt of another chain, and watches its block', async () => {
    expect(await check('5', undefined)).to.deep.equal({ receipt: RECORDED, watched: [['5', RECORDED]] });
  });
});
