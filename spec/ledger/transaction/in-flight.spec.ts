import { expect } from 'chai';
import type { Broadcasting } from '../../../src/ledger/transaction/broadcast.js';
import { createInFlight, type Outcome } from '../../../src/ledger/transaction/in-flight.js';
import { anyWallet } from '../scene.js';
import { receiptIn, signedOperation } from '../driven-ledger.js';

const signed = signedOperation(3);
const other = signedOperation(4, { raw: '0xf9' });
const REFUSED: Outcome = { is: 'refused', reason: 'funds', detail: 'none' };

/** A broadcast that goes on for ever. */
function broadcasting(): Broadcasting {
  const ended = new Promise<never>(() => undefined);
  return { ended, mayBeOut: () => true, replacements: () => 0, cancel: () => undefined };
}

describe('the table of transactions in flight', () => {
  it('has one run of a transaction for all callers', () => {
    const inFlight = createInFlight();
    let begun = 0;
    const begin = (): Broadcasting => {
      begun += 1;
      return broadcasting();
    };
    const run = inFlight.run(signed, begin);
    expect(inFlight.run(signed, begin)).to.equal(run);
    expect(inFlight.find(signed.hash)).to.equal(run);
    expect(inFlight.find(other.hash)).to.equal(undefined);
    expect(begun).to.equal(1);
  });

  it('forgets a run at its end, but not a later run of the same transaction', () => {
    const inFlight = createInFlight();
    const first = inFlight.run(signed, broadcasting);
    inFlight.end(signed.hash, first);
    const second = inFlight.run(signed, broadcasting);
    inFlight.end(signed.hash, first);
    expect(inFlight.find(signed.hash)).to.equal(second);
  });

  it('marks every run as doubtful when blocks leave the chain, but no later run', () => {
    const inFlight = createInFlight();
    const before = inFlight.run(signed, broadcasting);
    inFlight.doubt();
    const after = inFlight.run(other, broadcasting);
    expect([before.doubtful, after.doubtful]).to.deep.equal([true, false]);
  });

  it('answers all callers who wait for a transaction, even before its run begins, and no others', async () => {
    const inFlight = createInFlight();
    const early = inFlight.wait(signed.hash, 60_000);
    inFlight.run(signed, broadcasting);
    const late = inFlight.wait(signed.hash, 60_000);
    const elsewhere = inFlight.wait(other.hash, 1);
    inFlight.answer(signed.hash, REFUSED);
    expect(await Promise.all([early.outcome, late.outcome])).to.deep.equal([REFUSED, REFUSED]);
    expect(await elsewhere.outcome).to.equal(undefined);
  });

  it('accepts an outcome from elsewhere for one caller', async () => {
    const inFlight = createInFlight();
    const waiting = inFlight.wait(signed.hash, 60_000);
    const found: Outcome = { is: 'recorded', transaction: { signed, receipt: receiptIn(7) } };
    waiting.resolve(found);
    expect(await waiting.outcome).to.equal(found);
  });

  it('keeps a later caller whatever comes of a wait that has ended', async () => {
    const inFlight = createInFlight();
    const early = inFlight.wait(signed.hash, 1);
    await early.outcome;
    const late = inFlight.wait(signed.hash, 60_000);
    early.resolve(REFUSED);
    inFlight.answer(signed.hash, REFUSED);
    expect(await late.outcome).to.equal(REFUSED);
  });

  it('keeps the wallet of a caller as long as the transaction is in flight, and no longer', async () => {
    const inFlight = createInFlight();
    const wallet = anyWallet();
    const run = inFlight.run(signed, broadcasting);
    await inFlight.wait(signed.hash, 1, wallet).outcome;
    expect(inFlight.walletOf(signed.hash)).to.equal(wallet);
    inFlight.end(signed.hash, run);
    expect(inFlight.walletOf(signed.hash)).to.equal(undefined);
  });
});
