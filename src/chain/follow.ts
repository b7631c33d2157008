import { inBatches } from '../system/in-batches.js';
import type { AwaitedReceipts } from './awaited-receipts.js';
import type { BlockSource, FullBlock } from './block-source.js';
import type { KnownBlocks } from './known-blocks.js';

/** Blocks that are read at a time. */
const BATCH = 32;
/** Awaited transactions from which on blocks are prefetched, and how many blocks. */
const MANY = 16;
const PREFETCHED = 3;
/** Blocks to catch up with from which on those between are skipped. */
const FAR = 512;

export interface FollowOptions {
  readonly source: BlockSource;
  readonly known: KnownBlocks;
  readonly awaited: AwaitedReceipts;
  /** Blocks below the newest that are read at the start. */
  readonly recent: number;
  /** Called with the number of the node's newest block, when the node names it. */
  readonly onLatest: (number: number) => void;
  /** Called with the number of the lowest block that has left the chain. */
  readonly onReorganisation: (from: number) => void;
}

/** The result of a step of `follow`. */
export type Seen =
  | 'same'
  /** There are new blocks. */
  | 'moved'
  /** The node lacks the newest known blocks or the blocks above them, and has no others with their numbers. */
  | 'lagging'
  /** The chain changed during the step, which must be repeated. */
  | 'unsettled';

/**
 * Reads the blocks from the newest known one to the head of the chain, checks that each is the child of the one before,
 * and takes the awaited receipts in them. A node that lacks known blocks may be another one at the same address, which
 * gets them soon; with `isCertain`, it has lost them. Throws `ChainUnavailable`.
 */
export async function follow(options: FollowOptions, isCertain: boolean): Promise<Seen> {
  const { source, known, awaited } = options;
  const tip = known.tip();
  const asked = source.block('latest');
  source.prefetch((tip?.number ?? 0) + 1, tip !== undefined && awaited.count() >= MANY ? PREFETCHED : 0);
  const latest = await asked;
  if (latest === undefined) return 'unsettled';
  options.onLatest(latest.number);
  if (tip === undefined) return load(options, latest);
  if (latest.hash === tip.hash) return 'same';
  if (latest.number > tip.number + FAR) return jump(options, latest);
  if (latest.number > tip.number) {
    const seen = await climb(options, latest);
    return seen === 'lagging' && isCertain ? jump(options, latest) : seen;
  }
  const hash = known.hashOf(latest.number);
  const isOther = hash !== undefined && hash !== latest.hash;
  return isOther || isCertain ? reorganise(options) : 'lagging';
}

/** Skips to the newest blocks. */
async function jump(options: FollowOptions, latest: FullBlock): Promise<Seen> {
  const { source, known } = options;
  const tip = known.tip()!;
  if ((await source.block(tip.number))?.hash !== tip.hash) return reorganise(options);
  return load(options, latest);
}

/**
 * Takes the newest blocks, as far down as each is the child of the one before. Their transactions are not read: the node is
 * asked about every awaited one.
 */
async function load({ source, known, awaited, recent }: FollowOptions, latest: FullBlock): Promise<Seen> {
  const above = Math.max(latest.number - recent - 1, known.tip()?.number ?? -1);
  const blocks: FullBlock[] = [];
  for (let number = above + 1; number <= latest.number; number += BATCH) {
    blocks.push(...(await blocksFrom(source, number, latest)));
  }
  // The node keeps the newest block alone, lacks some, or is one of several at one address, some of which lag.
  if (blocks.at(-1)?.hash !== latest.hash) blocks.push(latest);
  // A restarted development node may have another first block than the parent of its second.
  const begin = blocks.findLastIndex((block, i) => i > 0 && block.parentHash !== blocks[i - 1]!.hash);
  for (const block of blocks.slice(Math.max(begin, 0))) known.append(block);
  awaited.askAgainFrom(0);
  return 'moved';
}

/** Reads the blocks above the tip, a batch at a time. */
async function climb(options: FollowOptions, latest: FullBlock): Promise<Seen> {
  const { source, known, awaited } = options;
  while (known.tip()!.number < latest.number) {
    const blocks = await blocksFrom(source, known.tip()!.number + 1, latest);
    const receipts = await Promise.all(
      blocks.map(async (block) => {
        const ours = block.transactions.filter((hash) => awaited.lacks(hash, block.hash));
        return ours.length === 0 ? [] : source.receiptsIn(block, ours);
      }),
    );
    if (blocks.length === 0) return 'lagging';
    for (const [i, block] of blocks.entries()) {
      if (block.parentHash !== known.tip()!.hash) return reorganise(options);
      const found = receipts[i];
      if (found === undefined) return 'unsettled';
      known.append(block);
      for (const receipt of found) awaited.offer(receipt);
    }
    awaited.settle();
  }
  return 'moved';
}

/** A batch of blocks from a number on, up to `latest`; fewer if the chain has become shorter. */
async function blocksFrom(source: BlockSource, from: number, latest: FullBlock): Promise<FullBlock[]> {
  const count = Math.min(BATCH, latest.number - from + 1);
  const blocks = await Promise.all(
    Array.from({ length: count }, async (_, i) =>
      from + i === latest.number ? latest : source.block(from + i),
    ),
  );
  const missing = blocks.indexOf(undefined);
  return (missing === -1 ? blocks : blocks.slice(0, missing)) as FullBlock[];
}

/** Forgets the known blocks that have left the chain, and reports the lowest of them. */
async function reorganise(options: FollowOptions): Promise<Seen> {
  const { source, known, awaited, onReorganisation } = options;
  // Prefetched blocks may have left the chain as well.
  source.prefetch(0, 0);
  const from = await lowestGone(source, known);
  known.dropFrom(from);
  awaited.askAgainFrom(from);
  onReorganisation(from);
  return 'unsettled';
}

/** The number above the newest known block that is still on the chain; 0 if none is. */
async function lowestGone(source: BlockSource, known: KnownBlocks): Promise<number> {
  for await (const numbers of inBatches(known.newestFirst(), BATCH)) {
    const blocks = await Promise.all(numbers.map((number) => source.block(number)));
    const common = numbers.find((number, i) => blocks[i]?.hash === known.hashOf(number));
    if (common !== undefined) return common + 1;
  }
  return 0;
}
