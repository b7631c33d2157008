import { expect } from 'chai';
import type { Broadcasting } from '../../../src/ledger/transaction/broadcast.js';
import { createSubmissions, type Outcome } from '../../../src/ledger/transaction/submissions.js';
import { anyWallet } from '../scene.js';
import { receiptIn, signedTransaction } from '../driven-ledger.js';

const signed = signedTransaction(3);
const other = signedTransaction(4, { raw: '0xf9' });
const REFUSED: Outcome = { is: 'refused', reason: 'funds', detail: 'none' };

/** A broadcast that goes on for ever. */
function broadcasting(): Broadcasting {
  const ended = new Promise<never>(() => undefined);
  return { ended, maybeBroadcast: () => true, replacements: () => 0, cancel: () => undefined };
}

describe('the table of transactions in flight', () => {
  it('has one run of a transaction for all callers', () => {
    const submissions = createSubmissions();
    let submitted = 0;
    const begin = (): Broadcasting => {
      submitted += 1;
      return broadcasting();
    };
    const run = submissions.run(signed, begin);
    expect(submissions.run(signed, begin)).to.equal(run);
    expect(submissions.find(signed.hash)).to.equal(run);
    expect(submissions.find(other.hash)).to.equal(undefined);
    expect(submitted).to.equal(1);
  });

  it('forgets a run at its end, but not a later run of the same transaction', () => {
    const submissions = createSubmissions();
    const first = submissions.run(signed, broadcasting);
    submissions.end(signed.hash, first);
    const second = submissions.run(signed, broadcasting);
    submissions.end(signed.hash, first);
    expect(submissions.find(signed.hash)).to.equal(second);
  });

  it('marks every run as receiptInDoubt when blocks leave the chain, but no later run', () => {
    const submissions = createSubmissions();
    const before = submissions.run(signed, broadcasting);
    submissions.doubt();
    const after = submissions.run(other, broadcasting);
    expect([before.receiptInDoubt, after.receiptInDoubt]).to.deep.equal([true, false]);
  });

  it('answers all callers who wait for a transaction, even before its run begins, and no others', async () => {
    const submissions = createSubmissions();
    const early = submissions.wait(signed.hash, 60_000);
    submissions.run(signed, broadcasting);
    const late = submissions.wait(signed.hash, 60_000);
    const elsewhere = submissions.wait(other.hash, 1);
    submissions.answer(signed.hash, REFUSED);
    expect(await Promise.all([early.outcome, late.outcome])).to.deep.equal([REFUSED, REFUSED]);
    expect(await elsewhere.outcome).to.equal(undefined);
  });

  it('accepts an outcome from elsewhere for one caller', async () => {
    const submissions = createSubmissions();
    const waiting = submissions.wait(signed.hash, 60_000);
    const found: Outcome = { is: 'recorded', transaction: { signed, receipt: receiptIn(7) } };
    waiting.resolve(found);
    expect(await waiting.outcome).to.equal(found);
  });

  it('keeps a later caller whatever comes of a wait that has ended', async () => {
    const submissions = createSubmissions();
    const early = submissions.wait(signed.hash, 1);
    await early.outcome;
    const late = submissions.wait(signed.hash, 60_000);
    early.resolve(REFUSED);
    submissions.answer(signed.hash, REFUSED);
    expect(await late.outcome).to.equal(REFUSED);
  });

  it('keeps the wallet of a caller as long as the transaction is in flight, and no longer', async () => {
    const submissions = createSubmissions();
    const wallet = anyWallet();
    const run = submissions.run(signed, broadcasting);
    await submissions.wait(signed.hash, 1, wallet).outcome;
    expect(submissions.walletOf(signed.hash)).to.equal(wallet);
    submissions.end(signed.hash, run);
    expect(submissions.walletOf(signed.hash)).to.equal(undefined);
  });
});
