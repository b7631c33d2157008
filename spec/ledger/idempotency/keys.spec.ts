import { mock } from 'node:test';
import { expect } from 'chai';
import type { ActorEvent, Actors } from '../../../src/actors/kind.js';
import type { Refusal } from '../../../src/errors.js';
import { keyAddress, accountAddress } from '../../../src/ledger/addresses.js';
import { createKeys, type Keys } from '../../../src/ledger/idempotency/keys.js';
import type { KeyEvent } from '../../../src/ledger/idempotency/key-machine.js';
import type { Accepted, AccountEvent } from '../../../src/ledger/account/account-machine.js';
import type { Address, Store } from '../../../src/store/port.js';
import { rejectionOf } from '../../rejection.js';
import { until } from '../scene.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { nodes } from '../../actors/stage/nodes.js';
import { quiet } from '../../actors/stage/queue.js';
import { SOON_MS } from '../../faults/stage/eventually.js';
import { ACCOUNT, CHAIN, ledgerKind, signedTransaction, word } from '../driven-ledger.js';

const KEY = { name: 'order-17', content: 'x' };
const inTime = (): number => Date.now() + SOON_MS;

describe('Idempotency-Keys', () => {
  const start = nodes();
  let ids = 0;

  /** A process of the service, as far as its keys go. */
  function node(store: Store): { actors: Actors; keys: Keys; asked: string[]; askedAt: number[] } {
    const kinds = ['key', 'account'].map((name) => ledgerKind(name));
    const { actors } = start({ store, kinds });
    const asked: string[] = [];
    const askedAt: number[] = [];
    const keys = createKeys({
      actors: {
        ...actors,
        ask: <R>(address: Address, event: ActorEvent) => {
          asked.push(event.type);
          askedAt.push(performance.now());
          return actors.ask<R>(address, event);
        },
      },
      chain: { name: CHAIN },
      shared: store.shared,
      now: Date.now,
      newId: () => `id${(ids += 1)}`,
    });
    return { actors, keys, asked, askedAt };
  }

  const claimed = async (keys: Keys): Promise<string> => {
    const outcome = await keys.claim(ACCOUNT, KEY, inTime());
    if (!('claim' in outcome)) throw new Error('it was signed already');
    return outcome.claim;
  };
  /** Claims the key. The deadline comes after all work that waits for no time. Resolves with the refusal. */
  const refusedAtDeadline = async (keys: Keys): Promise<Refusal> => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const refused = rejectionOf(keys.claim(ACCOUNT, KEY, inTime()));
    await quiet();
    mock.timers.tick(SOON_MS);
    mock.timers.reset();
    return (await refused) as Refusal;
  };
  const signed = (actors: Actors, claim: string, hash = word(9)): Promise<unknown> => {
    const event: KeyEvent = { type: 'signed', now: Date.now(), claim, chain: CHAIN, hash };
    return actors.ask(keyAddress(ACCOUNT, KEY.name), event);
  };
  const commit = (actors: Actors, claim: string): Promise<Accepted> => {
    const transaction = signedTransaction(0, { claim: { key: KEY.name, id: claim } });
    const event: AccountEvent = {
      type: 'signed',
      now: Date.now(),
      transactions: [transaction],
      since: [undefined],
    };
    return actors.ask<Accepted>(accountAddress(CHAIN, ACCOUNT), event);
  };

  it('are claimed by one of several requests, and the others get its transaction', async () => {
    const { actors, keys } = node(memoryStore());
    const first = await claimed(keys);
    const others = [keys.claim(ACCOUNT, KEY, inTime()), keys.claim(ACCOUNT, KEY, inTime())];
    await signed(actors, first);
    keys.leave(first, undefined);
    for (const other of others) expect(await other).to.deep.equal({ chain: CHAIN, hash: word(9) });
  });

  it('are free again when the claim is released', async () => {
    const { keys } = node(memoryStore());
    const first = await claimed(keys);
    const second = claimed(keys);
    await keys.release(ACCOUNT, KEY.name, first);
    expect(await second).not.to.equal(first);
  });

  it('are refused for other content at once, also while the first request is being signed', async () => {
    const { keys } = node(memoryStore());
    await claimed(keys);
    const error = await keys.claim(ACCOUNT, { ...KEY, content: 'y' }, inTime()).catch((e: unknown) => e);
    expect((error as Refusal).code).to.equal('unprocessable');
  });

  it('are waited for until the deadline', async () => {
    const { keys } = node(memoryStore());
    await claimed(keys);
    const error = await keys.claim(ACCOUNT, KEY, Date.now() + 1).catch((e: unknown) => e);
    expect((error as Refusal).code).to.equal('unavailable');
  });

  it('are taken over at once from a dead process', async () => {
    const store = memoryStore();
    const before = await claimed(node(store).keys);
    const { actors, keys } = node(store);
    const claim = await claimed(keys);
    expect(claim).not.to.equal(before);
    expect(await commit(actors, before), 'the old claim can still sign').to.deep.include({
      accepted: 0,
      fenced: true,
    });
    expect(await commit(actors, claim)).to.deep.include({ accepted: 1 });
  });

  it('lead to the transaction that was signed just before a process died', async () => {
    const store = memoryStore();
    const dead = node(store);
    const claim = await claimed(dead.keys);
    const follow: AccountEvent = { type: 'follow', now: Date.now(), next: 0 };
    await dead.actors.ask(accountAddress(CHAIN, ACCOUNT), follow);
    await dead.actors.close();
    const last = node(store);
    await commit(last.actors, claim);
    expect(await last.keys.claim(ACCOUNT, KEY, inTime())).to.deep.equal({
      chain: CHAIN,
      hash: signedTransaction(0).hash,
    });
  });

  it('are not taken over from another node that may be alive', async () => {
    const store = memoryStore({ shared: true });
    await claimed(node(store).keys);
    const error = await refusedAtDeadline(node(store).keys);
    expect(error.message).to.include('is being signed');
  });

  it('give waiting requests the transaction as soon as it is durable, without another read', async () => {
    const { keys, asked } = node(memoryStore());
    const first = await claimed(keys);
    const others = [1, 2, 3].map(() => keys.claim(ACCOUNT, KEY, inTime()));
    await until(async () => expect(asked).to.have.length(4));
    keys.leave(first, { chain: CHAIN, hash: word(9) });
    for (const other of others) expect(await other).to.deep.equal({ chain: CHAIN, hash: word(9) });
    expect(asked).to.deep.equal(['claim', 'claim', 'claim', 'claim']);
  });

  it('are not polled while another request of this node is being signed', async () => {
    const store = memoryStore({ shared: true });
    const { actors, keys, asked } = node(store);
    const first = await claimed(keys);
    const waiting = keys.claim(ACCOUNT, KEY, inTime());
    await until(async () => expect(asked).to.have.length(2));
    // For as long as another node polls four times.
    const other = node(store);
    const polling = other.keys.claim(ACCOUNT, KEY, inTime());
    await until(async () => expect(other.asked).to.have.length.of.at.least(4));
    expect(asked).to.deep.equal(['claim', 'claim']);
    await signed(actors, first);
    keys.leave(first, { chain: CHAIN, hash: word(9) });
    for (const claim of [waiting, polling])
      expect(await claim).to.deep.equal({ chain: CHAIN, hash: word(9) });
  });

  it('are polled with growing pauses while another node has the operation signed', async () => {
    const store = memoryStore({ shared: true });
    const other = node(store);
    const first = await claimed(other.keys);
    const { keys, asked, askedAt } = node(store);
    const claim = keys.claim(ACCOUNT, KEY, inTime());
    await until(async () => expect(asked).to.have.length.of.at.least(4));
    await signed(other.actors, first);
    expect(await claim).to.deep.equal({ chain: CHAIN, hash: word(9) });
    expect(new Set(asked)).to.deep.equal(new Set(['claim']));
    // A timer may be a ms early.
    for (const [n, ms] of [50, 100, 200].entries()) {
      expect(askedAt[n + 1]! - askedAt[n]!, `pause ${n}`).to.be.at.least(ms - 1);
    }
  });

  it('are free at once if the claim came too late', async () => {
    const store = memoryStore();
    const { keys, asked } = node(store);
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    store.between.commit = async (_batch, apply) => {
      await opened;
      return apply();
    };
    const error = await refusedAtDeadline(keys);
    expect(error.code).to.equal('unavailable');
    expect(error.message).to.contain('nothing was done');
    open();
    await claimed(keys);
    expect(asked).to.deep.equal(['claim', 'claim', 'release', 'claim']);
  });
});
