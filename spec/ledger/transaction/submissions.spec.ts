import { expect } from 'chai';
import type { Actors } from '../../../src/actors/kind.js';
import type { Outcome } from '../../../src/ledger/signed-transaction.js';
import type { PendingTransaction } from '../../../src/ledger/transaction/pending-transaction.js';
import { createSubmissions } from '../../../src/ledger/transaction/submissions.js';
import { StoreUnavailable } from '../../../src/store/port.js';
import { anyWallet } from '../scene.js';
import { CHAIN, pendingThat, receiptIn, signedTransaction } from '../driven-ledger.js';

const signed = signedTransaction(3);
const other = signedTransaction(4, { raw: '0xf9' });
const { hash } = signed;
const REFUSED: Outcome = { is: 'refused', reason: 'funds', detail: 'none' };
const MINED: Outcome = { is: 'mined', transaction: { signed, receipt: receiptIn(7) } };

const start = (): PendingTransaction => pendingThat(signed);

/** A table whose reads of the transaction's actor give these answers in turn, the last one from then on. */
function tableThat({ shared = false, remembered = 0 }, ...answers: (string | Error)[]) {
  let reads = 0;
  let accounts = 0;
  const actors = {
    async read({ kind }: { readonly kind: string }) {
      if (kind === 'account') {
        accounts += 1;
        return { context: { outbox: accounts <= remembered ? [{ id: hash }] : [] } };
      }
      const answer = answers[Math.min(reads, answers.length - 1)]!;
      reads += 1;
      if (answer instanceof Error) throw answer;
      return { state: answer, context: { refusal: undefined, signed, receipt: receiptIn(7) } };
    },
  } as unknown as Actors;
  const submissions = createSubmissions(shared);
  return {
    submissions,
    reads: () => reads,
    wait: (
      ms: number,
      more: { old?: boolean; wallet?: ReturnType<typeof anyWallet>; of?: typeof signed } = {},
    ) => submissions.waitFor(actors, { chain: CHAIN, hash: (more.of ?? signed).hash }, { ms, ...more }),
  };
}

describe('the table of submissions', () => {
  it('has one submission of a transaction for all callers', () => {
    const { submissions } = tableThat({});
    let started = 0;
    const counted = (): PendingTransaction => {
      started += 1;
      return start();
    };
    const submission = submissions.submit(hash, counted);
    expect(submissions.submit(hash, counted)).to.equal(submission);
    expect(submissions.find(hash)).to.equal(submission);
    expect(submissions.find(other.hash)).to.equal(undefined);
    expect(started).to.equal(1);
  });

  it('forgets a submission at its end, but not a later one of the same transaction', () => {
    const { submissions } = tableThat({});
    const first = submissions.submit(hash, start);
    submissions.end(hash, first);
    const second = submissions.submit(hash, start);
    submissions.end(hash, first);
    expect(submissions.find(hash)).to.equal(second);
  });

  it('marks every awaited receipt when blocks leave the chain, but no later one', () => {
    const { submissions } = tableThat({});
    const before = submissions.submit(hash, start);
    submissions.doubtReceipts();
    const after = submissions.submit(other.hash, start);
    expect([before.receiptInDoubt, after.receiptInDoubt]).to.deep.equal([true, false]);
  });

  it('answers all callers who wait for a transaction, even before its submission, and no others', async () => {
    const { submissions, wait } = tableThat({});
    const early = wait(60_000);
    submissions.submit(hash, start);
    const late = wait(60_000);
    const elsewhere = wait(1, { of: other });
    submissions.answer(hash, REFUSED);
    expect(await Promise.all([early, late])).to.deep.equal([REFUSED, REFUSED]);
    expect(await elsewhere).to.equal(undefined);
  });

  it('keeps a later caller whatever comes of a wait that has ended', async () => {
    const { submissions, wait } = tableThat({}, new StoreUnavailable('away'));
    await wait(1, { old: true });
    const late = wait(60_000);
    submissions.answer(hash, REFUSED);
    expect(await late).to.equal(REFUSED);
  });

  it('keeps the wallet of a caller as long as the transaction awaits its receipt, and no longer', async () => {
    const { submissions, wait } = tableThat({});
    const wallet = anyWallet();
    const submission = submissions.submit(hash, start);
    await wait(1, { wallet });
    expect(submissions.walletOf(hash)).to.equal(wallet);
    submissions.end(hash, submission);
    expect(submissions.walletOf(hash)).to.equal(undefined);
  });
});

describe('a caller who waits for a receipt', () => {
  it('reads nothing from a store that this process alone uses', async () => {
    const { submissions, reads, wait } = tableThat({}, 'recorded');
    const waiting = wait(60_000);
    submissions.answer(hash, REFUSED);
    expect(await waiting).to.deep.equal(REFUSED);
    expect(await tableThat({}, 'recorded').wait(700)).to.equal(undefined);
    expect(reads()).to.equal(0);
  });

  it('gets at once what was recorded for an earlier request', async () => {
    const { reads, wait } = tableThat({}, 'recorded');
    expect(await wait(60_000, { old: true })).to.deep.equal(MINED);
    expect(reads()).to.equal(1);
  });

  it('gets it later if the store does not answer at first', async () => {
    const { wait } = tableThat({}, new StoreUnavailable('away'), 'recorded');
    expect(await wait(60_000, { old: true })).to.deep.equal(MINED);
  });

  it('gets it once it is listed', async () => {
    const { reads, wait } = tableThat({ remembered: 1 }, 'recorded');
    expect(await wait(60_000, { old: true })).to.deep.equal(MINED);
    expect(reads()).to.equal(2);
  });

  it('finds what another process has recorded in a shared store', async () => {
    const { reads, wait } = tableThat({ shared: true }, 'sending', 'recorded');
    expect(await wait(60_000)).to.deep.equal(MINED);
    expect(reads()).to.equal(2);
  });
});
