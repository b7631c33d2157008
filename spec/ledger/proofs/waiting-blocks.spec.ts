import { expect } from 'chai';
import type { Hex } from '../../../src/chain/port.js';
import type { Actors } from '../../../src/actors/kind.js';
import type { EventLoop } from '../../../src/ledger/proofs/event-loop.js';
import { finalProofs } from '../../../src/ledger/proofs/final-proofs.js';
import { createOwnTransactions } from '../../../src/ledger/proofs/own-transactions.js';
import type { MinedTransaction } from '../../../src/ledger/signed-transaction.js';

const NO_ACTORS = {} as Actors;

describe('final blocks that wait for their proofs', () => {
  /** The blocks that are being proven, and how each ends. */
  let begun: Hex[];
  let ends: Map<Hex, () => void>;
  let loop: EventLoop;
  let own: ReturnType<typeof createOwnTransactions>;
  let prove: (hash: Hex) => Promise<boolean>;
  beforeEach(() => {
    begun = [];
    ends = new Map();
    loop = { utilization: () => 0, pause: async () => undefined, clock: () => 0 };
    own = createOwnTransactions();
    const keeper = {
      keep: (_actors: Actors, { hash }: { readonly hash: Hex }): Promise<void> => {
        begun.push(hash);
        return new Promise((resolve) => ends.set(hash, resolve));
      },
    };
    const made = finalProofs({
      keeper,
      own,
      loop: {
        utilization: () => loop.utilization(),
        pause: (ms) => loop.pause(ms),
        clock: () => loop.clock(),
      },
      onUnproven: () => undefined,
    });
    prove = (hash) => made(NO_ACTORS, { chain: '1', number: 1, hash });
  });

  /** A block of transactions of this node alone. */
  const ownBlock = (hash: Hex, size = 1): void => {
    for (let i = 0; i < size; i += 1) remember(hash, i);
  };
  const remember = (blockHash: Hex, index: number): void => {
    const hash: Hex = `${blockHash}${index}`;
    const receipt = {
      blockHash,
      transactionHash: hash,
      transactionIndex: `0x${index.toString(16)}`,
      logs: [],
    };
    own.remember({ signed: { hash, raw: '0xf8' }, receipt } as unknown as MinedTransaction);
  };
  /** Ends a block, and waits until its proof is known and what follows has begun. */
  const end = async (hash: Hex, proof: Promise<boolean>): Promise<void> => {
    ends.get(hash)!();
    expect(await proof).to.equal(true);
    await nextTurn();
  };
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

  it('are proven together, after those before them', async () => {
    for (const hash of ['0xa', '0xb', '0xc'] as const) ownBlock(hash);
    const [a, b, c] = [prove('0xa'), prove('0xb'), prove('0xc')];
    await nextTurn();
    expect(begun).to.deep.equal(['0xa']);
    await end('0xa', a);
    expect(begun).to.deep.equal(['0xa', '0xb', '0xc']);
    const d = prove('0xd');
    await end('0xc', c);
    expect(begun).to.have.length(3);
    await end('0xb', b);
    expect(begun).to.deep.equal(['0xa', '0xb', '0xc', '0xd']);
    await end('0xd', d);
  });

  it('are proven alone if they have transactions of others, or are not known', async () => {
    for (const hash of ['0xa', '0xb', '0xe'] as const) ownBlock(hash);
    remember('0xc', 1);
    const hashes = ['0xa', '0xb', '0xc', '0xd', '0xe'] as const;
    const proofs = hashes.map((hash) => prove(hash));
    await nextTurn();
    for (const [i, hash] of hashes.entries()) {
      expect(begun).to.deep.equal(hashes.slice(0, i + 1));
      await end(hash, proofs[i]!);
    }
  });

  it('are proven together up to some thousand transactions', async () => {
    ownBlock('0xa');
    for (const hash of ['0xb', '0xc', '0xd'] as const) ownBlock(hash, 400);
    const a = prove('0xa');
    const [b, c] = [prove('0xb'), prove('0xc'), prove('0xd')];
    await nextTurn();
    await end('0xa', a);
    expect(begun).to.deep.equal(['0xa', '0xb', '0xc']);
    await end('0xb', b);
    await end('0xc', c);
    expect(begun).to.deep.equal(['0xa', '0xb', '0xc', '0xd']);
  });

  it('wait for a busy event loop as long as the oldest of those that are proven together may', async () => {
    let [time, share] = [0, 0];
    loop = {
      utilization: () => share,
      pause: async (ms) => {
        time += ms;
      },
      clock: () => time,
    };
    for (const hash of ['0xa', '0xb', '0xc'] as const) ownBlock(hash);
    const a = prove('0xa');
    await nextTurn();
    const b = prove('0xb');
    time = 20_000;
    const c = prove('0xc');
    share = 1;
    await end('0xa', a);
    expect(begun).to.deep.equal(['0xa', '0xb', '0xc']);
    expect(time).to.equal(30_000);
    await end('0xb', b);
    await end('0xc', c);
  });

  it('do not wait for a busy event loop once what is known of them may be forgotten', async () => {
    let pauses = 0;
    loop = {
      utilization: () => 1,
      pause: async () => {
        pauses += 1;
        if (pauses === 2) ownBlock('0xb', 54_001);
        if (pauses > 2) throw new Error('it waits');
      },
      clock: () => 0,
    };
    ownBlock('0xa');
    const a = prove('0xa');
    await nextTurn();
    expect(begun).to.deep.equal(['0xa']);
    await end('0xa', a);
    expect(pauses).to.equal(2);
  });

  it('wait for a busy event loop whatever is known of blocks that another node of the service proves', async () => {
    let [isBusy, pauses] = [true, 0];
    loop = {
      utilization: () => (isBusy ? 1 : 0),
      pause: async () => {
        pauses += 1;
        isBusy = pauses < 2;
      },
      clock: () => 0,
    };
    ownBlock('0xb', 54_001);
    ownBlock('0xa');
    const a = prove('0xa');
    await nextTurn();
    await end('0xa', a);
    expect(pauses).to.equal(2);
  });

  it('do not wait behind a block that is not known, once what is known of them may be forgotten', async () => {
    loop = {
      utilization: () => 1,
      pause: async () => {
        throw new Error('it waits');
      },
      clock: () => 0,
    };
    ownBlock('0xa', 54_001);
    const proofs = [prove('0xc'), prove('0xa')];
    await nextTurn();
    for (const [i, hash] of (['0xc', '0xa'] as const).entries()) await end(hash, proofs[i]!);
  });

  it('fail when the service stops', async () => {
    const stopped = new Error('the service is stopping');
    loop = {
      utilization: () => 1,
      pause: async () => {
        throw stopped;
      },
      clock: () => 0,
    };
    for (const hash of ['0xa', '0xb', '0xc'] as const) ownBlock(hash);
    const results = await Promise.allSettled([prove('0xa'), prove('0xb'), prove('0xc')]);
    for (const result of results) expect(result).to.deep.equal({ status: 'rejected', reason: stopped });
    expect(begun).to.deep.equal([]);
  });
});
