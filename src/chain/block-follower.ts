import { setTimeout as delay } from 'node:timers/promises';
import { awaitedReceipts } from './awaited-receipts.js';
import type { BlockSource } from './block-source.js';
import type { NewestBlock } from './dynamic-fees.js';
import { type FollowOptions, type Seen, follow } from './follow.js';
import { knownBlocks } from './known-blocks.js';
import { type ChainProgress, ChainUnavailable, type Hex } from './port.js';

/** First and longest pause between two steps while receipts are awaited, ms. */
const SHORTEST_MS = 2;
const WAITING_MS = 500;
/** Pause while no receipt is awaited; also the longest pause if the node announces new blocks, ms. */
const IDLE_MS = 2_000;
/** Time for which the node may lack known blocks before they count as lost, ms. */
const LAGGING_MS = 1_000;
/** Known blocks above the final ones: at the start, and at most. */
const RECENT = 64;
const MAX_RECENT = 1_024;

export interface BlockFollowerOptions {
  readonly source: BlockSource;
  /** Blocks below which no reorganisation is expected. */
  readonly finality: number;
  /** True while the node announces new blocks, each by a call of `nudge`. */
  readonly announces: () => boolean;
  /** Called first when the node may be on another chain than before, or have lost its newest blocks. */
  readonly onDoubt: () => void;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Follows the blocks of the chain for all waits of this process. It does nothing before its start. */
export function blockFollower(options: BlockFollowerOptions) {
  const { source, finality, announces, onDoubt, now } = options;
  const known = knownBlocks(finality + MAX_RECENT);
  const awaited = awaitedReceipts(known);
  const listeners = new Set<(from: number) => void>();
  let timer: NodeJS.Timeout | undefined;
  /** True while a step runs, and until the end of `start`. */
  let running = true;
  let again = false;
  let closed = false;
  let lost = false;
  let steps = 0;
  let steppedAt = 0;
  let laggingSince: number | undefined;
  let reorganisations = 0;
  /** The node's newest block, and when it named it. */
  let latest: { readonly number: number; readonly at: number } | undefined;
  /** The newest known block, and when it was read. */
  let head: { readonly hash: Hex; readonly at: number } | undefined;

  const notify = (from: number): void => {
    lost = false;
    if (closed) return;
    onDoubt();
    for (const listener of listeners) listener(from);
  };
  const following: FollowOptions = {
    source,
    known,
    awaited,
    recent: finality + RECENT,
    onLatest(number) {
      latest = { number, at: now() };
    },
    onReorganisation(from) {
      reorganisations += 1;
      notify(from);
    },
  };

  async function step(): Promise<Seen> {
    const missed = lost;
    const isCertain = missed || (laggingSince !== undefined && now() - laggingSince >= LAGGING_MS);
    const seen = await follow(following, isCertain);
    const tip = known.tip();
    if (tip !== undefined && tip.hash !== head?.hash) head = { hash: tip.hash, at: now() };
    laggingSince = seen === 'lagging' ? Math.min(laggingSince ?? Infinity, now()) : undefined;
    if (seen === 'lagging') onDoubt();
    // The node may have lost its pool.
    if (lost && missed && seen !== 'unsettled') notify(known.tip()!.number + 1);
    await askUnasked();
    return seen;
  }

  /** Asks about transactions that are newly awaited, or whose block has left the chain. */
  async function askUnasked(): Promise<void> {
    await Promise.all(
      awaited.takeUnasked().map(async (hash) => {
        try {
          const receipt = await source.receipt(hash);
          if (receipt === undefined) return;
          awaited.offer(receipt);
          if (Number(receipt.blockNumber) > (known.tip()?.number ?? -1)) nudge();
        } catch {
          awaited.unanswered(hash);
        }
      }),
    );
    awaited.settle();
  }

  async function run(): Promise<void> {
    running = true;
    again = false;
    steppedAt = now();
    const seen = await step().catch(() => 'lost' as const);
    running = false;
    if (closed) return;
    if (seen === 'lost') {
      lost = true;
      onDoubt();
    }
    const soon = again && seen !== 'lost';
    steps = soon || seen === 'unsettled' ? 0 : steps + 1;
    later(seen);
  }

  function later(seen: Seen | 'lost' | 'nudged'): void {
    clearTimeout(timer);
    // Negative if the clock was set back.
    const since = Math.max(0, now() - steppedAt);
    timer = setTimeout(() => void run(), Math.max(0, pause(seen) - since)).unref();
  }

  function pause(seen: Seen | 'lost' | 'nudged'): number {
    const isRestless = seen === 'unsettled' || seen === 'lost' || seen === 'lagging' || steps === 0;
    if (awaited.count() === 0 && !isRestless) return IDLE_MS;
    return Math.min(announces() ? IDLE_MS : WAITING_MS, SHORTEST_MS * 2 ** Math.min(steps, 10));
  }

  /** Makes the next step now. */
  function nudge(): void {
    steps = 0;
    again = true;
    if (!running && !closed) later('nudged');
  }

  return {
    /** Makes the first step. Throws `ChainUnavailable`, also if the chain changes during every step. */
    async start() {
      for (let wait = SHORTEST_MS; (await step()) === 'unsettled'; wait *= 2) {
        if (wait > WAITING_MS) {
          throw new ChainUnavailable(
            'The chain’s node names no newest block that it then has, however often it is asked.',
          );
        }
        await delay(wait);
      }
      running = false;
      later('same');
    },
    nudge,
    /** As `nudge`, after the connection to the node was lost. */
    reconnected() {
      lost = true;
      nudge();
    },
    /** Tells the listeners that everything can be sent again, although no block has left the chain. */
    resume() {
      const tip = known.tip();
      if (tip !== undefined) notify(tip.number + 1);
    },
    head: () => known.tip()?.number,
    progress(): ChainProgress | undefined {
      const number = known.tip()?.number;
      if (number === undefined || latest === undefined || head === undefined) return undefined;
      const behind = Math.max(0, latest.number - number);
      return { head: number, headAt: head.at, behind, answeredAt: latest.at, reorganisations };
    },
    hashOf: known.hashOf,
    /** The newest block, with the base fee of the block that was read last; undefined before the first. */
    newest(): NewestBlock | undefined {
      const tip = known.tip();
      return tip && { hash: tip.hash, baseFeePerGas: known.baseFee() };
    },
    mined(hash: Hex, confirmations: number, unsent?: 'unsent') {
      const mined = awaited.wait(hash, confirmations, unsent);
      if (unsent === undefined) {
        void askUnasked();
        nudge();
      }
      return mined;
    },
    onReorganisation(listener: (from: number) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
