import { expect } from 'chai';
import fc from 'fast-check';
import type { Hex } from '../../../src/chain/port.js';
import { Refusal } from '../../../src/errors.js';
import { NonceQueue, type Signature } from '../../../src/ledger/account/nonce-queue.js';
import type { Nonces, Accepted } from '../../../src/ledger/account/account-machine.js';
import { NOON } from '../driven-ledger.js';
import { ManualJob, turn } from './manual-job.js';

/** An account as its actor would keep it; `others` takes nonces as another node does. */
function account(start: Omit<Nonces, 'refusals'> = { next: 0, free: [] }) {
  let { next, free } = start;
  const committed: { name: string; nonce: number }[] = [];
  let failure: Error | undefined;
  return {
    committed,
    others: (count: number): void => void (next += count),
    failOnce: (error: Error): void => void (failure = error),
    queue: new NonceQueue<ManualJob>({
      now: () => NOON,
      nonces: async () => ({ next, free, refusals: 0 }),
      async commit(signatures: readonly Signature<ManualJob>[]): Promise<Accepted> {
        const error = failure;
        failure = undefined;
        if (error !== undefined) throw error;
        let accepted = 0;
        for (const { job, nonce } of signatures) {
          if (nonce !== (free[0] ?? next)) break;
          if (free.length > 0) free = free.slice(1);
          else next += 1;
          committed.push({ name: job.name, nonce });
          accepted += 1;
        }
        return { accepted, fenced: false, next, free, refusals: 0 };
      },
    }),
  };
}

async function entered(queue: NonceQueue<ManualJob>, ...names: string[]) {
  const jobs = names.map((name) => new ManualJob(name));
  const hashes = jobs.map((job) => queue.add(job));
  for (const hash of hashes) hash.catch(() => undefined);
  await turn();
  return { jobs, hashes };
}

describe('the nonce queue of an account', () => {
  it('signs operations concurrently and commits them in the order of their nonces', async () => {
    const { queue, committed } = account({ next: 7, free: [] });
    const { jobs, hashes } = await entered(queue, 'a', 'b', 'c');
    expect(jobs.map((job) => job.last.nonce)).to.deep.equal([7, 8, 9]);
    jobs[2]!.last.settle('signed');
    jobs[1]!.last.settle('signed');
    await turn();
    expect(committed, 'a higher nonce went first').to.deep.equal([]);
    jobs[0]!.last.settle('signed');
    expect(await Promise.all(hashes)).to.deep.equal(['0xa7', '0xb8', '0xc9']);
    expect(committed.map(({ nonce }) => nonce)).to.deep.equal([7, 8, 9]);
  });

  it('gives the nonce of a job whose wallet fails to the last job', async () => {
    const { queue, committed } = account();
    const { jobs, hashes } = await entered(queue, 'a', 'b', 'c');
    jobs[0]!.last.settle(new Refusal('forbidden', 'no'));
    await turn();
    expect(jobs[2]!.asked.map(({ nonce }) => nonce)).to.deep.equal([2, 0]);
    for (const job of [jobs[1]!, jobs[2]!]) job.last.settle('signed');
    expect(await hashes[1]).to.equal('0xb1');
    expect(await hashes[2]).to.equal('0xc0');
    expect(await hashes[0]!.catch((error: unknown) => error)).to.be.instanceOf(Refusal);
    expect(committed.map(({ nonce }) => nonce)).to.deep.equal([0, 1]);
  });

  it('uses no nonce if the only job fails', async () => {
    const { queue } = account({ next: 3, free: [] });
    const first = await entered(queue, 'a');
    first.jobs[0]!.last.settle(new Error('gone'));
    await turn();
    const second = await entered(queue, 'b');
    expect(second.jobs[0]!.last.nonce).to.equal(3);
  });

  it('drops a signature for a nonce that the job no longer has', async () => {
    const { queue, committed } = account();
    const { jobs } = await entered(queue, 'a', 'b');
    jobs[0]!.last.settle(new Error('gone'));
    await turn();
    jobs[1]!.asked[0]!.settle('signed');
    await turn();
    expect(committed, 'a signature for the old nonce counted').to.deep.equal([]);
    jobs[1]!.asked[1]!.settle('signed');
    await turn();
    expect(committed).to.deep.equal([{ name: 'b', nonce: 0 }]);
  });

  it('signs again if another node has used the nonces', async () => {
    const { queue, committed, others } = account();
    const { jobs, hashes } = await entered(queue, 'a', 'b');
    others(2);
    for (const job of jobs) job.last.settle('signed');
    await turn();
    expect(jobs.map((job) => job.last.nonce)).to.deep.equal([2, 3]);
    for (const job of jobs) job.last.settle('signed');
    expect(await Promise.all(hashes)).to.deep.equal(['0xa2', '0xb3']);
    expect(committed.map(({ nonce }) => nonce)).to.deep.equal([2, 3]);
  });

  it('uses free nonces first', async () => {
    const { queue } = account({ next: 9, free: [4, 6] });
    const { jobs } = await entered(queue, 'a', 'b', 'c');
    expect(jobs.map((job) => job.last.nonce)).to.deep.equal([4, 6, 9]);
  });

  it('rejects the jobs of a failed commit and continues with the others', async () => {
    const { queue, committed, failOnce } = account();
    const { jobs, hashes } = await entered(queue, 'a', 'b');
    failOnce(new Error('the store is away'));
    jobs[0]!.last.settle('signed');
    await turn();
    expect(await hashes[0]!.catch((error: unknown) => (error as Error).message)).to.equal(
      'the store is away',
    );
    jobs[1]!.last.settle('signed');
    expect(await hashes[1]).to.equal('0xb0');
    expect(committed).to.deep.equal([{ name: 'b', nonce: 0 }]);
  });

  it('rejects a job whose claim was taken over and signs the others again', async () => {
    let fenced = true;
    const queue = new NonceQueue<ManualJob>({
      now: () => NOON,
      nonces: async () => ({ next: 0, free: [], refusals: 0 }),
      async commit(signatures) {
        const reply = { accepted: fenced ? 0 : signatures.length, fenced, next: 0, free: [], refusals: 0 };
        fenced = false;
        return reply;
      },
    });
    const { jobs, hashes } = await entered(queue, 'a', 'b');
    jobs[1]!.last.settle('signed');
    jobs[0]!.last.settle('signed');
    await turn();
    expect(await hashes[0]!.catch((error: unknown) => (error as Refusal).code)).to.equal('unavailable');
    expect(jobs[1]!.last.nonce).to.equal(0);
    jobs[1]!.last.settle('signed');
    expect(await hashes[1]).to.equal('0xb0');
  });

  it('has no gap and no repeated nonce under random failures and signatures of other nodes', async () => {
    const step = fc.record({
      job: fc.nat(7),
      fails: fc.boolean(),
      others: fc.integer({ min: 0, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const { queue, committed, others } = account();
        const { jobs, hashes } = await entered(queue, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
        const open = new Set(jobs);
        hashes.forEach((hash, i) => {
          const over = (): void => void open.delete(jobs[i]!);
          hash.then(over, over);
        });
        let foreign = 0;
        for (const { job, fails, others: count } of steps) {
          others(count);
          foreign += count;
          jobs[job]!.last.settle(fails ? new Error('no') : 'signed');
          await turn();
        }
        for (let rounds = 0; open.size > 0 && rounds < 100; rounds += 1) {
          for (const job of open) job.last.settle('signed');
          await turn();
        }
        expect(open.size, 'somebody waits for ever').to.equal(0);
        const outcomes = await Promise.allSettled(hashes);
        const answered = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []));
        const kept = committed.map(({ name, nonce }): Hex => `0x${name}${nonce}`);
        expect(answered.toSorted()).to.deep.equal(kept.toSorted());
        expect(new Set(committed.map(({ nonce }) => nonce)).size).to.equal(committed.length);
        expect(Math.max(-1, ...committed.map(({ nonce }) => nonce)) + 1).to.be.at.most(
          committed.length + foreign,
        );
      }),
      { numRuns: 200 },
    );
  });
});
