import { expect } from 'chai';
import fc from 'fast-check';
import type { Hex } from '../../../src/chain/port.js';
import { Refusal } from '../../../src/errors.js';
import type { SignedRequest } from '../../../src/ledger/account/signing-account.js';
import { SigningQueue } from '../../../src/ledger/account/signing-queue.js';
import type { Nonces, Accepted } from '../../../src/ledger/account/account-machine.js';
import { NOON } from '../driven-ledger.js';
import { ManualRequest, nameOf, signByHand, turn } from './manual-request.js';

/** An account as its actor would keep it; `others` takes nonces as another node does. */
function account(start: Omit<Nonces, 'refusals'> = { next: 0, free: [] }) {
  let { next, free } = start;
  const committed: { name: string; nonce: number }[] = [];
  let failure: Error | undefined;
  return {
    committed,
    others: (count: number): void => void (next += count),
    failOnce: (error: Error): void => void (failure = error),
    queue: new SigningQueue(
      {
        sign: signByHand,
        nonces: async () => ({ next, free, refusals: 0 }),
        async commit(signatures: readonly SignedRequest[]): Promise<Accepted> {
          const error = failure;
          failure = undefined;
          if (error !== undefined) throw error;
          let accepted = 0;
          for (const { request, nonce } of signatures) {
            if (nonce !== (free[0] ?? next)) break;
            if (free.length > 0) free = free.slice(1);
            else next += 1;
            committed.push({ name: nameOf(request), nonce });
            accepted += 1;
          }
          return { accepted, fenced: false, next, free, refusals: 0 };
        },
      },
      () => NOON,
    ),
  };
}

async function entered(queue: SigningQueue, ...names: string[]) {
  const requests = names.map((name) => new ManualRequest(name));
  const hashes = requests.map((request) => queue.add(request));
  for (const hash of hashes) hash.catch(() => undefined);
  await turn();
  return { requests, hashes };
}

describe('the signing queue of an account', () => {
  it('signs operations concurrently and commits them in the order of their nonces', async () => {
    const { queue, committed } = account({ next: 7, free: [] });
    const { requests, hashes } = await entered(queue, 'a', 'b', 'c');
    expect(requests.map((request) => request.last.nonce)).to.deep.equal([7, 8, 9]);
    requests[2]!.last.settle('signed');
    requests[1]!.last.settle('signed');
    await turn();
    expect(committed, 'a higher nonce went first').to.deep.equal([]);
    requests[0]!.last.settle('signed');
    expect(await Promise.all(hashes)).to.deep.equal(['0xa7', '0xb8', '0xc9']);
    expect(committed.map(({ nonce }) => nonce)).to.deep.equal([7, 8, 9]);
  });

  it('gives the nonce of a request whose wallet fails to the last request', async () => {
    const { queue, committed } = account();
    const { requests, hashes } = await entered(queue, 'a', 'b', 'c');
    requests[0]!.last.settle(new Refusal('forbidden', 'no'));
    await turn();
    expect(requests[2]!.asked.map(({ nonce }) => nonce)).to.deep.equal([2, 0]);
    for (const request of [requests[1]!, requests[2]!]) request.last.settle('signed');
    expect(await hashes[1]).to.equal('0xb1');
    expect(await hashes[2]).to.equal('0xc0');
    expect(await hashes[0]!.catch((error: unknown) => error)).to.be.instanceOf(Refusal);
    expect(committed.map(({ nonce }) => nonce)).to.deep.equal([0, 1]);
  });

  it('uses no nonce if the only request fails', async () => {
    const { queue } = account({ next: 3, free: [] });
    const first = await entered(queue, 'a');
    first.requests[0]!.last.settle(new Error('gone'));
    await turn();
    const second = await entered(queue, 'b');
    expect(second.requests[0]!.last.nonce).to.equal(3);
  });

  it('drops a signature for a nonce that the request no longer has', async () => {
    const { queue, committed } = account();
    const { requests } = await entered(queue, 'a', 'b');
    requests[0]!.last.settle(new Error('gone'));
    await turn();
    requests[1]!.asked[0]!.settle('signed');
    await turn();
    expect(committed, 'a signature for the old nonce counted').to.deep.equal([]);
    requests[1]!.asked[1]!.settle('signed');
    await turn();
    expect(committed).to.deep.equal([{ name: 'b', nonce: 0 }]);
  });

  it('signs again if another node has used the nonces', async () => {
    const { queue, committed, others } = account();
    const { requests, hashes } = await entered(queue, 'a', 'b');
    others(2);
    for (const request of requests) request.last.settle('signed');
    await turn();
    expect(requests.map((request) => request.last.nonce)).to.deep.equal([2, 3]);
    for (const request of requests) request.last.settle('signed');
    expect(await Promise.all(hashes)).to.deep.equal(['0xa2', '0xb3']);
    expect(committed.map(({ nonce }) => nonce)).to.deep.equal([2, 3]);
  });

  it('uses free nonces first', async () => {
    const { queue } = account({ next: 9, free: [4, 6] });
    const { requests } = await entered(queue, 'a', 'b', 'c');
    expect(requests.map((request) => request.last.nonce)).to.deep.equal([4, 6, 9]);
  });

  it('rejects the requests of a failed commit and continues with the others', async () => {
    const { queue, committed, failOnce } = account();
    const { requests, hashes } = await entered(queue, 'a', 'b');
    failOnce(new Error('the store is away'));
    requests[0]!.last.settle('signed');
    await turn();
    expect(await hashes[0]!.catch((error: unknown) => (error as Error).message)).to.equal(
      'the store is away',
    );
    requests[1]!.last.settle('signed');
    expect(await hashes[1]).to.equal('0xb0');
    expect(committed).to.deep.equal([{ name: 'b', nonce: 0 }]);
  });

  it('rejects a request whose claim was taken over and signs the others again', async () => {
    let fenced = true;
    const queue = new SigningQueue(
      {
        sign: signByHand,
        nonces: async () => ({ next: 0, free: [], refusals: 0 }),
        async commit(signatures) {
          const reply = { accepted: fenced ? 0 : signatures.length, fenced, next: 0, free: [], refusals: 0 };
          fenced = false;
          return reply;
        },
      },
      () => NOON,
    );
    const { requests, hashes } = await entered(queue, 'a', 'b');
    requests[1]!.last.settle('signed');
    requests[0]!.last.settle('signed');
    await turn();
    expect(await hashes[0]!.catch((error: unknown) => (error as Refusal).code)).to.equal('unavailable');
    expect(requests[1]!.last.nonce).to.equal(0);
    requests[1]!.last.settle('signed');
    expect(await hashes[1]).to.equal('0xb0');
  });

  it('has no gap and no repeated nonce under random failures and signatures of other nodes', async () => {
    const step = fc.record({
      request: fc.nat(7),
      fails: fc.boolean(),
      others: fc.integer({ min: 0, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const { queue, committed, others } = account();
        const { requests, hashes } = await entered(queue, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
        const open = new Set(requests);
        hashes.forEach((hash, i) => {
          const over = (): void => void open.delete(requests[i]!);
          hash.then(over, over);
        });
        let foreign = 0;
        for (const { request, fails, others: count } of steps) {
          others(count);
          foreign += count;
          requests[request]!.last.settle(fails ? new Error('no') : 'signed');
          await turn();
        }
        for (let rounds = 0; open.size > 0 && rounds < 100; rounds += 1) {
          for (const request of open) request.last.settle('signed');
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
