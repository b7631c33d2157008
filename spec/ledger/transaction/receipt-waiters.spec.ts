import { expect } from 'chai';
import type { Actors } from '../../../src/actors/runtime.js';
import { createSubmissions } from '../../../src/ledger/transaction/submissions.js';
import { createReceiptWaiters } from '../../../src/ledger/transaction/receipt-waiters.js';
import { StoreUnavailable } from '../../../src/store/port.js';
import { CHAIN, signedTransaction } from '../driven-ledger.js';

const { hash } = signedTransaction(3);
const RECORDED = { is: 'recorded', transaction: undefined };

/** Waiters whose reads of the transaction's actor give these answers in turn, and none from then on. */
function waitersThat({ shared = false, remembered = 0 }, ...answers: (string | Error)[]) {
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
      return { state: answer, context: { refusal: undefined, signed: signedTransaction(3) } };
    },
  } as unknown as Actors;
  const submissions = createSubmissions();
  const waiters = createReceiptWaiters({ actors, submissions, shared });
  return {
    submissions,
    reads: () => reads,
    wait: (old: boolean, ms: number) => waiters.wait({ chain: CHAIN, hash, old }, ms),
  };
}

describe('a caller who waits for a receipt', () => {
  it('reads nothing from a store that this process alone uses', async () => {
    const { submissions, reads, wait } = waitersThat({}, 'recorded');
    const waiting = wait(false, 60_000);
    submissions.answer(hash, { is: 'refused', reason: 'funds', detail: 'none' });
    expect(await waiting).to.deep.equal({ is: 'refused', reason: 'funds', detail: 'none' });
    expect(await waitersThat({}, 'recorded').wait(false, 700)).to.equal(undefined);
    expect(reads()).to.equal(0);
  });

  it('gets at once what was recorded for an earlier request', async () => {
    const { reads, wait } = waitersThat({}, 'recorded');
    expect(await wait(true, 60_000)).to.deep.equal(RECORDED);
    expect(reads()).to.equal(1);
  });

  it('gets it later if the store does not answer at first', async () => {
    const { wait } = waitersThat({}, new StoreUnavailable('away'), 'recorded');
    expect(await wait(true, 60_000)).to.deep.equal(RECORDED);
  });

  it('gets it once it is listed', async () => {
    const { reads, wait } = waitersThat({ remembered: 1 }, 'recorded');
    expect(await wait(true, 60_000)).to.deep.equal(RECORDED);
    expect(reads()).to.equal(2);
  });

  it('finds what another process has recorded in a shared store', async () => {
    const { reads, wait } = waitersThat({ shared: true }, 'sending', 'recorded');
    expect(await wait(false, 60_000)).to.deep.equal(RECORDED);
    expect(reads()).to.equal(2);
  });
});
