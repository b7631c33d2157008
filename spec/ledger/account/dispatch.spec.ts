import { expect } from 'chai';
import { contextIn } from '../../../src/actors/behavior.js';
import type { ActorEvent, Actors, Effect } from '../../../src/actors/kind.js';
import type { Hex } from '../../../src/chain/port.js';
import {
  ACCOUNT as ACCOUNT_KIND,
  transactionAddress,
  accountAddress,
} from '../../../src/ledger/addresses.js';
import { createSubmissions } from '../../../src/ledger/transaction/submissions.js';
import { createPipeline } from '../../../src/ledger/transaction/pipeline.js';
import type { AccountContext } from '../../../src/ledger/account/account-machine.js';
import { type Address, type Commit, StoreUnavailable } from '../../../src/store/port.js';
import { memoryStore, type MemoryStore } from '../../actors/stage/memory-store.js';
import { quiet } from '../../actors/stage/queue.js';
import { effectRun } from '../../actors/stage/effect-run.js';
import { rejectionOf } from '../../rejection.js';
import {
  CONTRACT_THERE,
  CHAIN,
  ledgerKind,
  NO_LISTS,
  NOON,
  pendingThat,
  receiptIn,
  signedTransaction,
  word,
} from '../driven-ledger.js';
import { anyWallet, creation, idle, type LedgerNode, ledgerScene, until } from '../scene.js';

const ID = 'urn:ngsi-ld:Car:1';

const isOf =
  (kind: string) =>
  ({ id }: Pick<Commit, 'id'>): boolean =>
    id.startsWith(`${kind}/`);

/** Holds back the commits of a kind, with whatever travels with them, until it is opened. */
function gate(store: MemoryStore, kind: string) {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const state = { held: 0, open };
  store.between.commit = async (batch, apply) => {
    if (batch.some(isOf(kind))) {
      state.held += 1;
      await opened;
    }
    return apply();
  };
  return state;
}

/** Loses the commits of a kind, and none that travel with them. */
function lose(store: MemoryStore, kind: string) {
  const state = { lost: 0, over: false };
  store.between.commit = async (batch, apply) => {
    if (state.over || !batch.some(isOf(kind))) return apply();
    state.lost += 1;
    for (const item of batch) if (!isOf(kind)(item)) await store.commit([item]);
    throw new StoreUnavailable('lost on purpose');
  };
  return state;
}

function commitsOf(store: MemoryStore, kind: string): readonly Commit[] {
  return store.calls.flat().filter(isOf(kind));
}

describe('a signed transaction', () => {
  const scene = ledgerScene();

  const walletOf = async (node: LedgerNode, account: Hex) =>
    (await node.actors.read<AccountContext>(accountAddress(node.chain.name, account)))!;

  it('stays with its account until it is in a block, and gets an actor with its receipt', async () => {
    const store = memoryStore();
    const node = await scene.node({ store });
    const wallet = anyWallet();
    await node.record(creation(ID), wallet);
    await idle(node);
    const [commit, ...others] = commitsOf(store, 'transaction');
    expect(others).to.deep.equal([]);
    expect(commit!.next!.state).to.equal('recorded');
    expect(await walletOf(node, await wallet.account())).to.deep.include({ state: 'idle' });
  });

  it('gets an actor of its own if no block comes', async () => {
    const store = memoryStore();
    const node = await scene.node({ store });
    await scene.anvil.rpc('evm_setAutomine', [false]);
    const wallet = anyWallet();
    const account = await wallet.account();
    const held = gate(store, 'transaction');
    const recorded = node.record(creation(ID), wallet);
    try {
      await until(async () => expect(held.held).to.equal(1));
      await quiet();
      expect(commitsOf(store, 'account').at(-1)!.next!.state).to.equal('dispatching');
      const { items } = await store.list({ kind: ACCOUNT_KIND, limit: 1 });
      expect((contextIn(items[0]!) as AccountContext).outbox).to.have.length(1);
      expect([...store.documents.keys()].filter((id) => isOf('transaction')({ id }))).to.deep.equal([]);
    } finally {
      held.open();
    }
    await until(async () => expect((await walletOf(node, account)).context.outbox).to.deep.equal([]));
    expect(commitsOf(store, 'transaction').map(({ next }) => next!.state)).to.deep.equal(['sending']);
    await scene.anvil.rpc('evm_mine');
    const receipt = await recorded;
    expect(await node.transactions(ID)).to.deep.equal([receipt]);
  });

  it('is listed after a crash between its receipt and its listing, and answered only then', async () => {
    const store = memoryStore();
    const first = await scene.node({ store });
    const wallet = anyWallet();
    const losing = lose(store, 'entity');
    const unanswered = rejectionOf(first.record(creation(ID), wallet, 'key'));
    await until(async () => expect(commitsOf(store, 'transaction')).not.to.deep.equal([]));
    await until(async () => expect(losing.lost).to.be.at.least(1));
    await first.stop();
    await unanswered;
    const held = gate(store, 'entity');
    const second = await scene.node({ store });
    let answered = false;
    const again = second.record(creation(ID), wallet, 'key').finally(() => (answered = true));
    await until(async () => expect(held.held).to.equal(1));
    expect(answered).to.equal(false);
    held.open();
    const receipt = await again;
    expect(await second.transactions(ID)).to.deep.equal([receipt]);
    expect(await second.chain.nextNonce(await wallet.account(), 'latest')).to.equal(1);
  });

  it('names a block of the chain even after a reorganisation before it had an actor', async () => {
    const store = memoryStore();
    const node = await scene.node({ store });
    await node.record(creation('urn:ngsi-ld:Car:0'), anyWallet());
    await idle(node);
    let reorganised = false;
    node.chain.onReorganisation(() => (reorganised = true));
    const held = gate(store, 'transaction');
    const recorded = node.record(creation(ID), anyWallet());
    await until(async () => expect(held.held).to.equal(1));
    await scene.anvil.rpc('anvil_reorg', [2, []]);
    await until(async () => expect(reorganised).to.equal(true));
    held.open();
    await recorded;
    await until(async () => {
      const [receipt] = (await node.transactions(ID))!;
      expect((await node.chain.block(receipt!.blockNumber))!.hash).to.equal(receipt!.blockHash);
    });
  });

  it('is answered before the list of all entities has its entity; readers of the list wait for that', async () => {
    const store = memoryStore();
    const node = await scene.node({ store });
    const held = gate(store, 'entityIndex');
    await node.record(creation(ID), anyWallet());
    expect(await node.transactions(ID)).to.have.length(1);
    const read = node.entities(0, 10);
    await until(async () => expect(held.held).to.equal(1));
    held.open();
    expect(await read).to.deep.equal({ count: 1, ids: [ID] });
  });

  it('is final only with a block of the chain, even if it is listed again after a reorganisation', async () => {
    const store = memoryStore();
    const node = await scene.node({ store, finality: 2, finalMs: 1 });
    await node.record(creation('urn:ngsi-ld:Car:0'), anyWallet());
    await idle(node);
    let reorganised = false;
    node.chain.onReorganisation(() => (reorganised = true));
    const losing = lose(store, 'entity');
    const commit = store.between.commit.bind(store.between);
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    store.between.commit = async (batch, apply) => {
      if (batch.some(isOf('transaction'))) await opened;
      return commit(batch, apply);
    };
    const recorded = node.record(creation(ID), anyWallet());
    await until(async () => expect(commitsOf(store, 'transaction')).not.to.deep.equal([]));
    await scene.anvil.rpc('anvil_reorg', [2, []]);
    await until(async () => expect(reorganised).to.equal(true));
    open();
    await until(async () => expect(losing.lost).to.be.at.least(1));
    losing.over = true;
    const { transactionHash } = await recorded;
    await scene.anvil.rpc('anvil_mine', ['0x4']);
    await until(async () => {
      const view = await node.actors.read(transactionAddress(node.chain.name, transactionHash));
      expect(view!.state).to.equal('recorded');
      expect(
        (await node.store.outline({ kind: 'block', limit: 1 })).items,
        'a block is watched',
      ).to.deep.equal([]);
    });
    const [receipt] = (await node.transactions(ID))!;
    expect((await node.chain.block(receipt!.blockNumber))!.hash).to.equal(receipt!.blockHash);
  });

  it('is left to its actor if it is dispatched again: another run may carry it', async () => {
    const events: object[] = [];
    const actors = {
      read: async () => undefined,
      ask: async (_address: Address, event: ActorEvent) => void events.push(event),
    };
    const { event } = await dispatched(actors as unknown as Actors, true);
    expect(event).to.deep.include({ type: 'performed', now: NOON, entryId: word(1003) });
    expect(events).to.deep.equal([
      { type: 'submit', now: NOON, signed: signedTransaction(3), maybeBroadcast: true },
    ]);
  });

  it('is not sent again by a node that cannot write its receipt', async () => {
    const actors = { ask: () => Promise.reject(new StoreUnavailable('away')) };
    const { failure, cancelled, submissions } = await dispatched(actors as unknown as Actors, false);
    expect(failure).to.be.instanceOf(StoreUnavailable);
    expect(cancelled).to.deep.equal([word(1003)]);
    expect(submissions.find(word(1003))).to.equal(undefined);
  });
});

/** Dispatches a transaction that is mined at once. */
async function dispatched(actors: Actors, repeated: boolean) {
  const cancelled: Hex[] = [];
  const submissions = createSubmissions(false);
  const pipeline = createPipeline({
    chain: { name: CHAIN, ...CONTRACT_THERE },
    broadcast: {
      start: (signed) => pendingThat(signed, { is: 'mined', transaction: { signed, receipt: receiptIn(7) } }),
      cancel: ({ signed }) => void cancelled.push(signed.hash),
    },
    submissions,
    ...NO_LISTS,
    replace: () => async () => undefined,
    now: () => NOON,
  });
  const transaction = signedTransaction(3);
  const kind = ledgerKind(ACCOUNT_KIND, { pipeline });
  const address = accountAddress(CHAIN, transaction.operation.account);
  const entry = { id: transaction.hash, type: 'dispatch', transaction };
  const dispatch = kind.effects['dispatch'] as Effect;
  const result = dispatch(entry as never, {} as never, effectRun(address, { actors, repeated }));
  const event = await result.catch(() => undefined);
  const failure = event === undefined ? await rejectionOf(result) : undefined;
  return { event, failure, cancelled, submissions };
}
