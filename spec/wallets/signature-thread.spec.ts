import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { addressOf, signTransaction } from '../../src/wallets/transaction-bytes.js';
import type { SigningResult, UnsignedTransaction } from '../../src/wallets/port.js';
import { signatureThread } from '../../src/wallets/signature-thread.js';
import { cases } from '../cases.js';
import { rejectionOf } from '../rejection.js';
import { transactionOf } from './transactions.js';

const KEY = Buffer.from('11'.repeat(32), 'hex');
const FROM = addressOf(KEY);
const NONE = new URL('no-such-file.js', import.meta.url);
const DYING = new URL('dying-signatures-child.js', import.meta.url);
/** Data that ends the thread of `DYING`. */
const DEADLY = [
  ['throws', '0xdead'],
  ['exits', '0x0e'],
] as const;

/** So many transactions, each another one. */
const some = (count: number, changes: Partial<UnsignedTransaction> = {}): UnsignedTransaction[] =>
  Array.from({ length: count }, (_, nonce) => transactionOf(FROM, { nonce, ...changes }));
const here = (transactions: readonly UnsignedTransaction[]): SigningResult[] =>
  transactions.map((transaction) => signTransaction(transaction, KEY));
/** Signs them in one turn of the event loop. */
const signed = (thread: ReturnType<typeof signatureThread>, transactions: readonly UnsignedTransaction[]) =>
  Promise.all(transactions.map((transaction) => thread.sign(transaction)));

describe('the thread of signatures', () => {
  it('signs many transactions as the calling thread would, in order', async () => {
    const thread = signatureThread(KEY);
    for (const count of [4, 300]) {
      expect(await signed(thread, some(count))).to.deep.equal(here(some(count)));
    }
  });

  it('keeps batches apart that are signed together', async () => {
    const thread = signatureThread(KEY);
    const batches = (['0x01', '0x02', '0x03'] as const).map((data) => some(20, { data }));
    const all: Promise<SigningResult[]>[] = [];
    for (const batch of batches) {
      all.push(signed(thread, batch));
      await turn();
    }
    expect(await Promise.all(all)).to.deep.equal(batches.map(here));
  });

  it('does not start for a few transactions', async () => {
    const thread = signatureThread(KEY, DYING);
    for (const count of [1, 3]) {
      expect(await signed(thread, some(count))).to.deep.equal(here(some(count)));
    }
    expect(await signed(thread, some(4))).not.to.deep.equal(here(some(4)));
  });

  it('keeps the process alive only while it works', async () => {
    const thread = signatureThread(KEY);
    const ports = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'MessagePort').length;
    const before = ports();
    for (let batch = 0; batch < 2; batch += 1) {
      const all = signed(thread, some(4));
      await turn();
      expect(ports()).to.equal(before + 1);
      await all;
      expect(ports()).to.equal(before);
    }
  });

  it('that cannot start leaves its transactions to the calling thread', async () => {
    const thread = signatureThread(KEY, NONE);
    for (let batch = 0; batch < 2; batch += 1) {
      expect(await signed(thread, some(4))).to.deep.equal(here(some(4)));
    }
  });

  for (const [what, data] of DEADLY) {
    it(`that ${what} leaves what it had to be signed without it, and is there again for the next`, async () => {
      const thread = signatureThread(KEY, DYING);
      const [first] = await signed(thread, some(4));
      const deadly = some(4, { data });
      const lost = signed(thread, deadly);
      await turn();
      // Given to the same thread, which dies then.
      const behind = signed(thread, some(5));
      expect(await lost).to.deep.equal(here(deadly));
      expect(await behind).to.deep.equal(here(some(5)));
      const [next, ...others] = await signed(thread, some(4));
      expect(next!.raw, 'signed in a thread').to.equal(first!.raw);
      expect(next!.hash, 'in another one').not.to.equal(first!.hash);
      expect(others).to.deep.equal([next, next, next]);
    });
  }

  it('that dies after an answer is ignored', async () => {
    // Which of both is told first is chance: in one of some 25 cases it is the death.
    for (let round = 0; round < cases(100, 25); round += 1) {
      const thread = signatureThread(KEY, DYING);
      const deadly = some(4, { data: '0xafdead' });
      const [first, ...others] = await signed(thread, deadly);
      expect(others).to.deep.equal(first!.raw === '0x' ? [first, first, first] : here(deadly).slice(1));
      // An answer to nothing would come by then, and fail the spec.
      await signed(thread, some(4));
    }
  });

  for (const [count, where] of [
    [3, 'a few'],
    [20, 'many'],
  ] as const) {
    it(`fails what cannot be signed, alone among ${where}`, async () => {
      const thread = signatureThread(KEY);
      const good = some(count - 1);
      const wrong = rejectionOf(thread.sign(transactionOf(FROM, { data: '0xzz' })));
      expect(await signed(thread, good)).to.deep.equal(here(good));
      expect(await wrong).to.include({ name: 'NoTransaction' });
      expect(await signed(thread, good), 'and the next').to.deep.equal(here(good));
    });
  }
});
