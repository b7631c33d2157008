import { expect } from 'chai';
import type { Actors } from '../../../src/actors/kind.js';
import { transactionAddress, TRANSACTION } from '../../../src/ledger/addresses.js';
import { createReplace } from '../../../src/ledger/transaction/replacement.js';
import { createSubmissions } from '../../../src/ledger/transaction/submissions.js';
import { createPipeline } from '../../../src/ledger/transaction/pipeline.js';
import type {
  TransactionContext,
  TransactionEvent,
} from '../../../src/ledger/transaction/transaction-machine.js';
import type { Hex } from '../../../src/chain/port.js';
import type { Address } from '../../../src/store/port.js';
import {
  CONTRACT_THERE,
  CHAIN,
  drive,
  NO_LISTS,
  NOON,
  pendingThat,
  receiptIn,
  signedTransaction,
  word,
} from '../driven-ledger.js';
import { anyWallet } from '../scene.js';

const now = (): number => NOON;
const submit: TransactionEvent = { type: 'submit', now: NOON, signed: signedTransaction(3) };

/** An actor of a transaction, with the actors of a node of the service that has only this one. */
function transaction() {
  const actor = drive<TransactionContext, TransactionEvent>(TRANSACTION);
  const address = transactionAddress(CHAIN, word(1003));
  const isIt = ({ name }: Address): boolean => name === address.name;
  const actors = {
    ask: async (to: Address, event: TransactionEvent) => (isIt(to) ? actor.ask(event) : undefined),
    read: async (of: Address) => (isIt(of) ? actor : undefined),
  };
  return { actor, address, actors: actors as unknown as Actors };
}

describe('a transaction that two nodes of the service carry', () => {
  /** Carries on what the actor says; `from`: its context as this node has read it. */
  async function carriedOn({ actors, address }: ReturnType<typeof transaction>, from: TransactionContext) {
    let started = 0;
    const submissions = createSubmissions(false);
    const pipeline = createPipeline({
      chain: { name: CHAIN, ...CONTRACT_THERE },
      broadcast: {
        start(signed) {
          started += 1;
          return pendingThat(signed, { is: 'mined', transaction: { signed, receipt: receiptIn(7) } });
        },
        cancel: () => undefined,
      },
      submissions,
      ...NO_LISTS,
      replace: () => async () => undefined,
      now,
    });
    const event = await pipeline.carryOn(actors, address, from);
    return { started, event, run: submissions.find(word(1003)) };
  }

  it('is not sent by one after the other has ended it: its nonce and its key are free', async () => {
    const it = transaction();
    it.actor.ask(submit);
    const from = it.actor.context;
    it.actor.ask({ type: 'refused', now: NOON, reason: 'funds', detail: 'none' });
    const { started, event, run } = await carriedOn(it, from);
    expect([started, event, run]).to.deep.equal([0, undefined, undefined]);
    expect(it.actor.state).to.equal('refused');
  });

  it('is sent by the second one while it is open, and no refusal is final then', async () => {
    const it = transaction();
    it.actor.ask(submit);
    const { started } = await carriedOn(it, it.actor.context);
    expect(started).to.equal(1);
    expect(it.actor.context.maybeBroadcast).to.equal(true);
    expect(it.actor.state).to.equal('recorded');
  });

  it('leaves the memory of the first one if the second one has taken it over', async () => {
    const it = transaction();
    it.actor.ask({ ...submit, maybeBroadcast: true });
    let cancelled = 0;
    const submissions = createSubmissions(false);
    const pipeline = createPipeline({
      chain: { name: CHAIN, ...CONTRACT_THERE },
      broadcast: {
        start: (signed) => pendingThat(signed, { is: 'refused', reason: 'funds', detail: 'none' }, false),
        cancel: () => void (cancelled += 1),
      },
      submissions,
      ...NO_LISTS,
      replace: () => async () => undefined,
      now,
    });
    await pipeline.carry(it.actors, CHAIN, signedTransaction(3), 100, true);
    expect([cancelled, submissions.find(word(1003))]).to.deep.equal([1, undefined]);
    expect([it.actor.state, it.actor.context.maybeBroadcast]).to.deep.equal(['sending', true]);
  });

  it('goes on with the replacement of the node that was faster', async () => {
    const wallet = anyWallet();
    const account = await wallet.account();
    const unsigned = { from: account, to: account, data: '0x' as Hex, nonce: 3 };
    const price = { gasPrice: 1_000n, gasLimit: 60_000n, chainId: 31_337 };
    const { raw } = await wallet.sign({ ...unsigned, ...price });
    const { operation } = signedTransaction(3);
    const signed = signedTransaction(3, { raw, operation: { ...operation, account } });
    const it = transaction();
    it.actor.ask({ type: 'submit', now: NOON, signed });
    const others = { hash: word(9), raw: '0xf9' } as const;
    it.actor.ask({ type: 'replace', now: NOON, known: 0, replacement: others });
    const run = { submitted: true } as ReturnType<ReturnType<typeof createSubmissions>['find']>;
    const submissions = { find: () => run, walletOf: () => wallet };
    const chain = { fees: async () => ({ gasPrice: 0n, gasLimit: 60_000n }) };
    const replace = createReplace({
      chain,
      submissions,
      defaultWallet: undefined,
      gasPriceMax: undefined,
      now,
    });
    expect(await replace(it.actors, it.address, signed)(raw, 0)).to.deep.equal(others);
    expect(it.actor.context.replacements).to.deep.equal([others]);
  });
});
