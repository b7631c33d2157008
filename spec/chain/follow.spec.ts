import { expect } from 'chai';
import { awaitedReceipts } from '../../src/chain/awaited-receipts.js';
import type { BlockSource, FullBlock } from '../../src/chain/block-source.js';
import { follow, type FollowOptions } from '../../src/chain/follow.js';
import { knownBlocks } from '../../src/chain/known-blocks.js';
import { ChainUnavailable } from '../../src/chain/port.js';
import { blockFollower } from '../../src/chain/block-follower.js';

/** A chain of blocks as a node would give them, up to a head that can be moved. */
function chainUpTo(head: number): BlockSource & { head: number } {
  const block = (number: number): FullBlock => ({
    number,
    hash: `0x${number}`,
    parentHash: `0x${number - 1}`,
    timestamp: number,
    transactions: [],
  });
  return {
    head,
    prefetch: () => undefined,
    async block(number) {
      const wanted = number === 'latest' ? this.head : number;
      return wanted > this.head ? undefined : block(wanted);
    },
    receipt: async () => undefined,
    receiptsIn: async () => [],
  };
}

function following(source: BlockSource, recent: number): FollowOptions {
  const known = knownBlocks(2_000);
  const awaited = awaitedReceipts(known);
  const nobody = (): undefined => undefined;
  return { source, known, awaited, recent, onLatest: nobody, onReorganisation: nobody };
}

describe('the blocks of a chain', () => {
  it('are known up to the head after the first look, for chains of any length', async () => {
    for (const recent of [0, 1, 31, 32, 33, 64, 76, 96, 128]) {
      for (let head = 0; head <= 140; head += 1) {
        const options = following(chainUpTo(head), recent);
        expect(await follow(options, false), `head ${head}, ${recent} recent ones`).to.equal('moved');
        expect(options.known.tip()).to.deep.equal({ number: head, hash: `0x${head}` });
        expect(options.known.newestFirst()).to.have.lengthOf(Math.min(head, recent) + 1);
      }
    }
  });

  it('are the newest alone, or the newest few, if the node has no others', async () => {
    for (let kept = 1; kept <= 100; kept += 1) {
      const source = chainUpTo(1_000);
      const forgetful: BlockSource = {
        ...source,
        block: async (number) =>
          number === 'latest' || number > 1_000 - kept ? source.block(number) : undefined,
      };
      const options = following(forgetful, 76);
      expect(await follow(options, false), `${kept} kept`).to.equal('moved');
      expect(options.known.tip()?.number, `${kept} kept`).to.equal(1_000);
    }
  });

  it('are known up to the head again after any number of new blocks', async () => {
    for (const recent of [32, 76]) {
      for (const more of [1, 31, 32, 33, 64, 511, 512, 513, 544, 545, 588, 589, 590, 1_000]) {
        const source = chainUpTo(100);
        const options = following(source, recent);
        await follow(options, false);
        source.head += more;
        expect(await follow(options, false), `${more} more`).to.equal('moved');
        expect(options.known.tip()?.number).to.equal(source.head);
      }
    }
  });

  it('that a node lacks below its newest are waited for, and skipped if they do not come', async () => {
    const source = chainUpTo(9);
    let lacking: number[] = [];
    const forgetful: BlockSource = {
      ...source,
      block: async (number) =>
        number !== 'latest' && lacking.includes(number) ? undefined : source.block(number),
    };
    const from: number[] = [];
    const options = { ...following(forgetful, 76), onReorganisation: (it: number) => void from.push(it) };
    await follow(options, false);
    options.awaited.wait('0xours', 1, 'unsent');
    source.head = 13;
    lacking = [10, 11];
    expect(await follow(options, false)).to.equal('lagging');
    expect([options.known.tip()?.number, options.awaited.takeUnasked()]).to.deep.equal([9, []]);
    expect(await follow(options, true)).to.equal('moved');
    expect([options.known.tip()?.number, options.awaited.takeUnasked()]).to.deep.equal([13, ['0xours']]);
    // It may lack what is known, too.
    source.head = 15;
    lacking = [13, 14];
    expect(await follow(options, false)).to.equal('lagging');
    expect(from).to.deep.equal([]);
    expect(await follow(options, true)).to.equal('unsettled');
    expect([options.known.tip()?.number, from]).to.deep.equal([9, [10]]);
  });

  it('are the newest alone if the node lacks several below it', async () => {
    const source = chainUpTo(40);
    const lacking = new Set<number>();
    const forgetful: BlockSource = {
      ...source,
      block: async (number) =>
        number !== 'latest' && lacking.has(number) ? undefined : source.block(number),
    };
    const from: number[] = [];
    const options = { ...following(forgetful, 76), onReorganisation: (it: number) => void from.push(it) };
    await follow(options, false);
    options.awaited.wait('0xours', 1, 'unsent');
    source.head = 100;
    for (const number of [45, 80]) lacking.add(number);
    expect(await follow(options, false)).to.equal('lagging');
    expect(await follow(options, true)).to.equal('moved');
    expect([options.known.tip()?.number, options.awaited.takeUnasked()]).to.deep.equal([100, ['0xours']]);
    // A node at the same address that lags: nobody knows of another block of that number.
    source.head = 79;
    expect(await follow(options, false)).to.equal('lagging');
    expect(from).to.deep.equal([]);
  });

  it('after the loss of all known blocks: the node is asked about the awaited transactions', async () => {
    const source = chainUpTo(3);
    let fork = '';
    const forking: BlockSource = {
      ...source,
      async block(number) {
        const found = await source.block(number);
        return found && { ...found, hash: `${found.hash}${fork}`, parentHash: `${found.parentHash}${fork}` };
      },
    };
    const options = following(forking, 76);
    await follow(options, false);
    options.awaited.wait('0xours', 1, 'unsent');
    fork = '0';
    expect(await follow(options, false)).to.equal('unsettled');
    expect([options.known.tip(), options.awaited.takeUnasked()]).to.deep.equal([undefined, ['0xours']]);
    // It was in no block then, and is in one now that nobody has looked through.
    source.head = 4;
    expect(await follow(options, false)).to.equal('moved');
    expect([options.known.tip()?.hash, options.awaited.takeUnasked()]).to.deep.equal(['0x40', ['0xours']]);
  });

  it('are known down to the first one that is not the child of the one before', async () => {
    for (const broken of [1, 5, 40, 64]) {
      const source = chainUpTo(64);
      const options = following(
        {
          ...source,
          async block(number) {
            const found = await source.block(number);
            return found?.number === broken ? { ...found, parentHash: '0xother' } : found;
          },
        },
        76,
      );
      expect(await follow(options, false), `block ${broken}`).to.equal('moved');
      expect(options.known.newestFirst(), `block ${broken}`).to.have.lengthOf(64 - broken + 1);
    }
  });

  it('fail the start if the node names no newest block', async () => {
    let looks = 0;
    const source = chainUpTo(5);
    const silent: BlockSource = {
      ...source,
      async block(number) {
        looks += 1;
        return number === 'latest' ? undefined : source.block(number);
      },
    };
    const follower = blockFollower({
      source: silent,
      finality: 2,
      announces: () => false,
      onDoubt: () => undefined,
      now: Date.now,
    });
    const error = await follower.start().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ChainUnavailable);
    expect(looks).to.be.within(3, 20);
    follower.close();
  });
});
