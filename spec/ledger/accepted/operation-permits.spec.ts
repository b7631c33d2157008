import { expect } from 'chai';
import type { Actors, EffectRun } from '../../../src/actors/kind.js';
import { Refusal } from '../../../src/errors.js';
import { createAcceptedOperations } from '../../../src/ledger/accepted/accepted-operations.js';
import { countPending, createOperationPermits } from '../../../src/ledger/accepted/operation-permits.js';
import { OPERATION } from '../../../src/ledger/addresses.js';
import { operationOf } from '../../../src/ledger/content/operations.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { creation } from '../../store/documents.js';
import { ACCOUNT, LEDGER_SETTINGS, ledgerKind, NOON, OPERATION as STORED } from '../driven-ledger.js';
import { anyWallet } from '../scene.js';

describe('permits of accepted operations', () => {
  it('are taken by so many at the same time, then in order of arrival, and not waited for by too many', async () => {
    const permits = createOperationPermits({ most: 1, waiting: 2, now: () => 0 });
    const order: string[] = [];
    const end = (await permits.acquire('first'))!;
    const taken = ['a', 'b'].map(async (name) => {
      const leave = (await permits.acquire(name))!;
      order.push(name);
      leave();
    });
    expect(permits.full).to.equal(true);
    expect(await permits.acquire('c')).to.equal(undefined);
    expect(order).to.deep.equal([]);
    end();
    await Promise.all(taken);
    expect(order).to.deep.equal(['a', 'b']);
    expect(permits.full).to.equal(false);
    expect(await permits.acquire('d')).to.be.a('function');
  });

  it('count an operation in back-off as waiting, until it acquires a permit again or its try is late', async () => {
    let now = 0;
    const permits = createOperationPermits({ most: 1, waiting: 2, now: () => now });
    for (const [name, until] of [
      ['a', 1_000],
      ['b', 2_000],
      ['b', 5_000],
    ] as const)
      permits.backOff(name, until);
    expect([permits.full, permits.backedOff]).to.deep.equal([false, 2]);
    permits.backOff('c', 60_000);
    expect([permits.full, permits.backedOff]).to.deep.equal([true, 3]);
    const end = (await permits.acquire('c'))!;
    expect([permits.full, permits.backedOff]).to.deep.equal([true, 2]);
    end();
    expect(permits.full).to.equal(false);
    permits.backOff('c', 60_000);
    now = 62_000;
    expect([permits.full, permits.backedOff]).to.deep.equal([false, 2]);
  });

  it('are waited for by the share of a node in what a store has, until the next tries', async () => {
    const store = memoryStore();
    const states = ['pending', 'pending', 'recorded', 'pending', 'failed', 'pending'];
    await store.commit(
      states.map((state, i) => creation(`${OPERATION}/t/${i}`, { state, wakeAt: NOON + 1_000 * i - 2_500 })),
    );
    const waiting = async (otherNodes: number): Promise<readonly (readonly [string, number])[]> => {
      const counted: [string, number][] = [];
      const backOff = (name: string, until: number): void =>
        void counted.push([name.slice(-1), until - NOON]);
      await countPending(store, { backOff }, { otherNodes, now: NOON });
      return counted;
    };
    expect(await waiting(0)).to.deep.equal([
      ['0', 0],
      ['1', 0],
      ['3', 500],
      ['5', 2_500],
    ]);
    expect(await waiting(1)).to.have.length(2);
    expect(await waiting(2)).to.have.length(1);
  });

  it('are not waited for by an operation that fails, because each of its tries was refused', async () => {
    const permits = createOperationPermits({ most: 1, waiting: 2, now: () => NOON });
    const { effects } = ledgerKind(OPERATION, {
      permits,
      wallet: { ...anyWallet(), account: async () => ACCOUNT },
      recorderOf: () => ({
        attempt: () => Promise.reject(new Refusal('bad-gateway', 'the account is out of funds')),
        unneeded: async () => {},
      }),
      clock: { now: () => NOON, random: () => 1 },
    });
    const refused = async (refusedSince: number | undefined): Promise<number> => {
      const context = { operation: STORED, key: 'ab', tries: 3, refusedSince };
      const run = { address: { kind: OPERATION, tenant: 'ledger', name: 'one' } } as EffectRun;
      const event = await effects['record']!(
        { id: 'record', type: 'record' } as never,
        context as never,
        run,
      );
      expect(event).to.include({ type: 'refused', now: NOON });
      return permits.backedOff;
    };
    expect(await refused(NOON - LEDGER_SETTINGS.refusedMs + 1)).to.equal(1);
    expect(await refused(NOON - LEDGER_SETTINGS.refusedMs)).to.equal(0);
  });

  it('that nobody can wait for refuse another operation, of which nothing is stored', async () => {
    const asked: unknown[] = [];
    const actors = { read: async () => undefined, ask: async (...all: unknown[]) => void asked.push(all) };
    const stored = async (): Promise<never> => {
      throw new Error('it was stored');
    };
    const { accept } = createAcceptedOperations({
      actors: actors as unknown as Actors,
      store: memoryStore(),
      recorder: { stored },
      receipts: { receipt: stored },
      permits: { full: true, backedOff: 7 },
      now: Date.now,
    });
    const body = { id: 'a:1', subscriptionId: 'a:s', data: [{ id: 'a:e', type: 'Car' }] };
    const common = { tenant: undefined, link: undefined, ldJson: false };
    const operation = operationOf({ name: 'notify', bytes: Buffer.from(JSON.stringify(body)), common });
    const error: unknown = await accept(operation, { wallet: anyWallet() }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.include({ code: 'unavailable', retryAfterS: 1 });
    expect((error as Error).message).to.match(
      /wait to be recorded, 7 of them for another try: .*; nothing was done/,
    );
    expect(asked).to.deep.equal([]);
  });
});
