import { inBatches } from '../system/in-batches.js';
import type { Awaited } from './awaited.js';
import type { BlockSource, FullBlock } from './block-source.js';
import type { KnownBlocks } from './known-blocks.js';

/** Blocks that are asked for together. */
const TOGETHER = 32;
/** With so many transactions awaited it is worth asking for blocks that may not be there yet, and for how many. */
const MANY = 16;
const EXPECTED = 3;
/** With more blocks than this to make up for, those between are not looked at. */
const FAR = 512;

export interface FollowOptions {
  readonly source: BlockSource;
  readonly known: KnownBlocks;
  readonly awaited: Awaited;
  /** How many blocks below the newest are to be known from the start. */
  readonly recent: number;
  /** Told of the lowest block that is not the chain's any more. */
  readonly onReorganisation: (from: number) => void;
}

/** What a look at the chain has shown. */
export type Seen =
  | 'same'
  | 'moved'
  /** The node lacks the newest known blocks, or those that follow them, and has no others in their place. */
  | 'behind'
  /** It changed while it was looked at: look again. */
  | 'unsettled';

/**
 * Follows the chain from the newest known block to its head: each block is checked to be the child of the one before,
 * and what is awaited in it is taken. With `believed`, a node that lacks blocks has lost them; else it may be another one
 * behind the same address, which will have them soon. Throws `ChainUnavailable`.
 */
export async function follow(options: FollowOptions, believed: boolean): Promise<Seen> {
  const { source, known, awaited } = options;
  const tip = known.tip();
  const asked = source.block('latest');
  source.expect((tip?.number ?? 0) + 1, tip !== undefined && awaited.count() >= MANY ? EXPECTED : 0);
  const latest = await asked;
  if (latest === undefined) return 'unsettled';
  if (tip === undefined) return load(options, latest);
  if (latest.hash === tip.hash) return 'same';
  if (latest.number > tip.number + FAR) return jump(options, latest);
  if (latest.number > tip.number) {
    const seen = await climb(options, latest);
    return seen === 'behind' && believed ? jump(options, latest) : seen;
  }
  const hash = known.hashOf(latest.number);
  const isOther = hash !== undefined && hash !== latest.hash;
  return isOther || believed ? reorganise(options) : 'behind';
}

/** Goes to the newest blocks past those between. */
async function jump(options: FollowOptions, latest: FullBlock): Promise<Seen> {
  const { source, known } = options;
  const tip = known.tip()!;
  if ((await source.block(tip.number))?.hash !== tip.hash) return reorganise(options);
  return load(options, latest);
}

/**
 * Takes the newest blocks as they are, as far down as each is the child of the one before. Nobody looks what is in them:
 * what is awaited is asked for.
 */
async function load({ source, known, awaited, recent }: FollowOptions, latest: FullBlock): Promise<Seen> {
  const above = Math.max(latest.number - recent - 1, known.tip()?.number ?? -1);
  const blocks: FullBlock[] = [];
  for (let number = above + 1; number <= latest.number; number += TOGETHER) {
    blocks.push(...(await blocksFrom(source, number, latest)));
  }
  // A node that keeps the newest alone or lacks some, or one of several behind an address, of which others lag.
  if (blocks.at(-1)?.hash !== latest.hash) blocks.push(latest);
  // A development node may come back with another first block than the one that its second names.
  const begin = blocks.findLastIndex((block, i) => i > 0 && block.parentHash !== blocks[i - 1]!.hash);
  for (const block of blocks.slice(Math.max(begin, 0))) known.append(block);
  awaited.askAgain(0);
  return 'moved';
}

/** Goes up block by block, in pieces. */
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
    if (blocks.length === 0) return 'behind';
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

/** The blocks from a number on, some of them, up to `latest`; fewer where the chain does not reach so far any more. */
async function blocksFrom(source: BlockSource, from: number, latest: FullBlock): Promise<FullBlock[]> {
  const count = Math.min(TOGETHER, latest.number - from + 1);
  const blocks = await Promise.all(
    Array.from({ length: count }, async (_, i) =>
      from + i === latest.number ? latest : source.block(from + i),
    ),
  );
  const missing = blocks.indexOf(undefined);
  return (missing === -1 ? blocks : blocks.slice(0, missing)) as FullBlock[];
}

/** Goes down to the newest known block that is the chain's still, forgets those above, and tells. */
async function reorganise(options: FollowOptions): Promise<Seen> {
  const { source, known, awaited, onReorganisation } = options;
  // What was asked for ahead may be gone as well.
  source.expect(0, 0);
  const from = await firstGone(source, known);
  known.dropFrom(from);
  awaited.askAgain(from);
  onReorganisation(from);
  return 'unsettled';
}

/** The number above the newest known block that the chain still has; 0 where it has none of them. */
async function firstGone(source: BlockSource, known: KnownBlocks): Promise<number> {
  for await (const numbers of inBatches(known.newestFirst(), TOGETHER)) {
    const blocks = await Promise.all(numbers.map((number) => source.block(number)));
    const kept = numbers.find((number, i) => blocks[i]?.hash === known.hashOf(number));
    if (kept !== undefined) return kept + 1;
  }
  return 0;
}
