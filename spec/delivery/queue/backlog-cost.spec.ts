import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdb } from '../../../src/store/lmdb/lmdb.js';
import type { Commit, Store } from '../../../src/store/port.js';
import { until } from '../../actors/stage/queue.js';
import { dispatched } from './dispatched.js';
import { DELIVERED } from '../driven-delivery.js';

const START = Date.UTC(2026, 0, 15);
/** Attempts that end, 16 at a time. */
const ENDED = 160;

/** Counts of the calls of a store. */
interface Calls {
  /** Items that were committed. */
  readonly commits: number;
  readonly loads: number;
  readonly looks: number;
  /** Entries of queues that were read. */
  readonly read: number;
}

describe('the cost of waiting deliveries', () => {
  it('depends on the attempts and the time, not on the number of waiting deliveries', async () => {
    const few = await costOf(2_000);
    const many = await costOf(20_000);
    expect(few.commits).to.equal(2 * ENDED + 16);
    expect(many.commits).to.equal(few.commits);
    expect(many.loads).to.be.at.most(few.loads * 1.1);
    expect(many.read).to.be.at.most(few.read * 1.2 + 40);
    expect(many.looks).to.be.at.most(few.looks * 1.2 + 10);
  });
});

/** The calls of the store while attempts end, with that many deliveries waiting for one receiver. */
async function costOf(waiting: number): Promise<Calls> {
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-backlog-'));
  const store = await openLmdb({ folder });
  for (let from = 0; from < waiting; from += 1_000) {
    await store.commit(Array.from({ length: 1_000 }, (_, n) => waitingDelivery(from + n)));
  }
  const { counted, calls } = countingStore(store);
  let now = START;
  const node = dispatched(counted, { now: () => now, random: () => 0.999 });
  // Past the time after a start in which waiting deliveries are tried early.
  now += 60_000;
  try {
    await until(async () => node.inFlight.size === 16);
    for (let ended = 16; ended <= ENDED; ended += 16) {
      node.answer(DELIVERED);
      await until(async () => node.sent.length === ended + 16 && node.inFlight.size === 16);
    }
    expect(node.faults).to.deep.equal([]);
    return calls();
  } finally {
    await node.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function countingStore(store: Store): { readonly counted: Store; readonly calls: () => Calls } {
  let commits = 0;
  let loads = 0;
  let looks = 0;
  let read = 0;
  const counted: Store = {
    ...store,
    commit(batch) {
      commits += batch.length;
      return store.commit(batch);
    },
    load(id) {
      loads += 1;
      return store.load(id);
    },
    due(...given) {
      looks += 1;
      return store.due(...given);
    },
    queues(...given) {
      looks += 1;
      return store.queues(...given);
    },
    async queued(...given) {
      looks += 1;
      const found = await store.queued(...given);
      read += found.length;
      return found;
    },
  };
  return { counted, calls: () => ({ commits, loads, looks, read }) };
}

function waitingDelivery(n: number): Commit {
  const wakeAt = START + n;
  const message = { channel: 'webhook', url: 'http://r.example/hook', body: '{}' };
  const about = { tenant: 'acme', server: 's', subscriptionId: 'u', factId: 1 };
  const frequent = JSON.stringify({ since: START, tries: 9, attempts: [], outbox: [], wakeAt });
  const rare = JSON.stringify({ message, about });
  const next = { version: 1, state: 'waiting', wakeAt, frequent, rare, queue: 'acme/http://r.example' };
  const id = `delivery/acme/msg_${n}`;
  return { id, expected: 0, revision: 1, commitId: id, next, previous: undefined };
}
