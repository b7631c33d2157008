import { expect } from 'chai';
import fc from 'fast-check';
import { dynamicFees, feeMarket, historyOf } from '../../src/chain/dynamic-fees.js';
import { NodeError } from '../../src/chain/exchange.js';
import { ChainUnavailable, type DynamicFees } from '../../src/chain/port.js';
import { cases } from '../cases.js';
import { rejectionOf } from '../rejection.js';

const GWEI = 1_000_000_000n;
const HEAD = { hash: '0x01', baseFeePerGas: 80n } as const;

const fee = fc.bigInt(1n, 10n ** 15n);
const market = fc.record({ baseFee: fee, tip: fc.bigInt(0n, 10n ** 13n) });
const factor = fc.integer({ min: 1, max: 100_000 }).map((thousandths) => thousandths / 1_000);
const max = fc.option(fee, { nil: undefined });

/** Base fee after so many full blocks. */
const risen = (baseFee: bigint, blocks: number): bigint =>
  blocks === 0 ? baseFee : risen(baseFee + baseFee / 8n, blocks - 1);

/** What is paid for each gas in a block with a base fee, wei. */
const paid = (offered: DynamicFees, baseFee: bigint): bigint => {
  const tip = offered.maxFeePerGas - baseFee;
  return baseFee + (tip < offered.maxPriorityFeePerGas ? tip : offered.maxPriorityFeePerGas);
};

describe('the fees of a transaction of EIP-1559', () => {
  it('suffice for the next block and five full ones after it, if GAS_PRICE_MAX does not say otherwise', () => {
    fc.assert(
      fc.property(market, factor, (now, gasPriceFactor) => {
        const { maxFeePerGas, maxPriorityFeePerGas } = dynamicFees(now, { gasPriceFactor });
        expect(maxFeePerGas >= risen(now.baseFee, 5) + maxPriorityFeePerGas).to.equal(true);
        expect(maxPriorityFeePerGas).to.equal(now.tip > 0n ? now.tip : 1n);
      }),
      { numRuns: cases(300, 100) },
    );
  });

  it('are at least the price times the factor, and above it no more than GAS_PRICE_MAX', () => {
    fc.assert(
      fc.property(market, factor, max, (now, gasPriceFactor, gasPriceMax) => {
        const { maxFeePerGas, maxPriorityFeePerGas } = dynamicFees(now, { gasPriceFactor, gasPriceMax });
        const price = now.baseFee + (now.tip > 0n ? now.tip : 1n);
        const thousandths = BigInt(Math.round(gasPriceFactor * 1_000));
        const least = (price * thousandths + 999n) / 1_000n;
        expect(maxFeePerGas >= least).to.equal(true);
        expect(maxFeePerGas > least && gasPriceMax !== undefined && maxFeePerGas > gasPriceMax).to.equal(
          false,
        );
        expect(maxPriorityFeePerGas >= 1n && maxPriorityFeePerGas <= maxFeePerGas).to.equal(true);
      }),
      { numRuns: cases(300, 100) },
    );
  });

  it('cost the base fee and the usual priority fee, whatever the factor', () => {
    const offered = dynamicFees({ baseFee: 20n * GWEI, tip: GWEI }, { gasPriceFactor: 3 });
    expect(offered).to.deep.equal({ maxFeePerGas: 63n * GWEI, maxPriorityFeePerGas: GWEI });
    expect(paid(offered, 20n * GWEI)).to.equal(21n * GWEI);
  });

  it('do not rise by themselves on a chain whose blocks have no other transactions', () => {
    let tip = GWEI;
    for (let block = 0; block < 100; block += 1) {
      const offered = dynamicFees({ baseFee: GWEI, tip }, { gasPriceFactor: 1.2 });
      tip = paid(offered, GWEI) - GWEI;
    }
    expect(tip).to.equal(GWEI);
  });
});

describe('the result of eth_feeHistory', () => {
  const history = (baseFees: readonly unknown[], ratios?: unknown, rewards?: unknown) =>
    historyOf({ oldestBlock: '0x1', baseFeePerGas: baseFees, gasUsedRatio: ratios, reward: rewards });

  it('has the base fee of the next block last', () => {
    expect(history(['0x7', '0x8', '0x9'], [0, 0], [['0x0'], ['0x0']])).to.deep.equal({
      baseFee: 9n,
      tip: undefined,
    });
  });

  it('tells the median of the priority fees of blocks that have transactions', () => {
    const rewards = [['0x9'], ['0x0'], ['0x5'], ['0x64'], ['0x0']];
    expect(history(['0x1'], [0.5, 0, 0.1, 1, 0], rewards)!.tip).to.equal(9n);
    expect(history(['0x1'], [0.5, 0, 0.1, 0, 0], rewards)!.tip).to.equal(5n);
    expect(history(['0x1'], [0.5, 0.1], [['0x0'], ['0x0']])!.tip).to.equal(0n);
  });

  it('is taken without rewards, and not without base fees', () => {
    for (const rewards of [undefined, null, {}, [], [[]], ['0x1'], [[7]], [['7']]])
      expect(history(['0x1'], [1], rewards), JSON.stringify(rewards)).to.deep.equal({
        baseFee: 1n,
        tip: undefined,
      });
    for (const ratio of [null, '1', [1], { valueOf: 1, toString: 1 }])
      expect(history(['0x1'], [ratio], [['0x5']]), JSON.stringify(ratio)).to.deep.equal({
        baseFee: 1n,
        tip: undefined,
      });
    for (const json of [null, undefined, 'x', {}, { baseFeePerGas: [] }, { baseFeePerGas: ['7'] }])
      expect(historyOf(json)).to.equal(undefined);
  });
});

describe('the market of a chain', () => {
  type Answers = Readonly<Record<string, unknown>>;
  const HISTORY = { baseFeePerGas: ['0x50', '0x5a'], gasUsedRatio: [1], reward: [['0x7']] };
  const LACKING = new NodeError(-32_601, 'the method eth_feeHistory does not exist/is not available');
  const price = (): Promise<bigint> => Promise.resolve(100n);

  /** A node with these answers: results, or errors. */
  function node(answers: Answers) {
    const asked: string[] = [];
    const market = feeMarket(async (method) => {
      asked.push(method);
      const answer = answers[method];
      if (answer instanceof Error) throw answer;
      return answer;
    });
    return { asked, market };
  }

  it('is read once for each newest block', async () => {
    const { asked, market } = node({ eth_feeHistory: HISTORY });
    expect(await Promise.all([market(HEAD, price()), market(HEAD, price())])).to.deep.equal([
      { baseFee: 90n, tip: 7n },
      { baseFee: 90n, tip: 7n },
    ]);
    await market(HEAD, price());
    expect(asked).to.deep.equal(['eth_feeHistory']);
    await market({ ...HEAD, hash: '0x02' }, price());
    expect(asked).to.deep.equal(['eth_feeHistory', 'eth_feeHistory']);
  });

  it('is not asked for where the newest block has no base fee, or one of 0', async () => {
    const { asked, market } = node({ eth_feeHistory: HISTORY });
    for (const newest of [undefined, { ...HEAD, baseFeePerGas: undefined }, { ...HEAD, baseFeePerGas: 0n }])
      expect(await market(newest, price())).to.equal(undefined);
    expect(asked).to.deep.equal([]);
    expect(await node({ eth_feeHistory: { baseFeePerGas: ['0x0'] } }).market(HEAD, price())).to.equal(
      undefined,
    );
  });

  it('has the priority fee that the node proposes while blocks have no transactions', async () => {
    const empty = { ...HISTORY, gasUsedRatio: [0] };
    const { market } = node({ eth_feeHistory: empty, eth_maxPriorityFeePerGas: '0x9' });
    expect(await market(HEAD, price())).to.deep.equal({ baseFee: 90n, tip: 9n });
  });

  it('has an eighth above the newest base fee where the node has no eth_feeHistory, and remembers that', async () => {
    const { asked, market } = node({ eth_feeHistory: LACKING, eth_maxPriorityFeePerGas: '0x9' });
    expect(await market(HEAD, price())).to.deep.equal({ baseFee: 90n, tip: 9n });
    await market({ ...HEAD, hash: '0x02' }, price());
    expect(asked.filter((method) => method === 'eth_feeHistory')).to.have.length(1);
  });

  it('asks a node again that once refused its history', async () => {
    const busy = new NodeError(-32_000, 'request beyond head block');
    const { asked, market } = node({ eth_feeHistory: busy, eth_maxPriorityFeePerGas: '0x9' });
    await market(HEAD, price());
    await market({ ...HEAD, hash: '0x02' }, price());
    expect(asked.filter((method) => method === 'eth_feeHistory')).to.have.length(2);
  });

  it('has what the gas price is above the base fee where the node has neither', async () => {
    const { market } = node({ eth_feeHistory: LACKING, eth_maxPriorityFeePerGas: LACKING });
    expect(await market(HEAD, price())).to.deep.equal({ baseFee: 90n, tip: 10n });
    for (const eth_maxPriorityFeePerGas of [null, 'x', '0x', 7, `0x1${'0'.repeat(64)}`]) {
      const other = node({ eth_feeHistory: LACKING, eth_maxPriorityFeePerGas });
      expect(await other.market(HEAD, price())).to.deep.equal({ baseFee: 90n, tip: 10n });
    }
    expect(await market({ ...HEAD, hash: '0x02' }, Promise.resolve(3n))).to.deep.equal({
      baseFee: 90n,
      tip: 0n,
    });
  });

  it('is not remembered while the node does not answer', async () => {
    const answers: Record<string, unknown> = { eth_feeHistory: new ChainUnavailable('no answer') };
    const { market } = node(answers);
    expect(await rejectionOf(market(HEAD, price()))).to.be.an.instanceOf(ChainUnavailable);
    answers['eth_feeHistory'] = HISTORY;
    expect(await market(HEAD, price())).to.deep.equal({ baseFee: 90n, tip: 7n });
  });
});
