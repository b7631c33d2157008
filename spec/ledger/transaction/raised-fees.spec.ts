import { expect } from 'chai';
import fc from 'fast-check';
import type { DynamicFees } from '../../../src/chain/port.js';
import { raised } from '../../../src/ledger/transaction/raised-fees.js';
import type { DynamicFeeTransaction, UnsignedTransaction } from '../../../src/wallets/port.js';
import { cases } from '../../cases.js';
import { dynamicOf, transactionOf } from '../../wallets/transactions.js';

const FROM = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const fee = fc.bigInt(1n, 10n ** 15n);
const fees = fc
  .tuple(fee, fee)
  .map(([a, b]): DynamicFees =>
    a > b ? { maxFeePerGas: a, maxPriorityFeePerGas: b } : { maxFeePerGas: b, maxPriorityFeePerGas: a },
  );

const again = (
  before: UnsignedTransaction,
  more: Partial<Parameters<typeof raised>[0]> = {},
): UnsignedTransaction | undefined =>
  raised({ before, first: before, gasPriceMax: undefined, market: { gasPrice: 7n }, ...more });

/** True if a node with this rule, in hundredths, accepts a fee in place of another. */
const replaces = (after: bigint, before: bigint, hundredths: bigint): boolean =>
  after > before && after * 1_000n >= before * (1_000n + hundredths);

describe('a transaction that is signed again', () => {
  it('of EIP-1559 raises both fees as every node asks, and to what a new one offers', () => {
    fc.assert(
      fc.property(fees, fc.option(fees, { nil: undefined }), (offered, dynamic) => {
        const before = dynamicOf(FROM, offered);
        const { maxFeePerGas, maxPriorityFeePerGas, ...call } = again(before, {
          market: { gasPrice: 7n, ...(dynamic && { dynamic }) },
          gasPriceMax: 10n ** 18n,
        }) as DynamicFeeTransaction;
        expect({ ...before, ...call }).to.deep.equal(before);
        expect(replaces(maxFeePerGas, before.maxFeePerGas, 125n)).to.equal(true);
        expect(replaces(maxPriorityFeePerGas, before.maxPriorityFeePerGas, 125n)).to.equal(true);
        expect(maxPriorityFeePerGas <= maxFeePerGas).to.equal(true);
        expect(maxFeePerGas >= (dynamic?.maxFeePerGas ?? 0n)).to.equal(true);
        expect(maxPriorityFeePerGas >= (dynamic?.maxPriorityFeePerGas ?? 0n)).to.equal(true);
      }),
      { numRuns: cases(300, 100) },
    );
  });

  it('never offers more than GAS_PRICE_MAX, nor a fee that is not higher', () => {
    fc.assert(
      fc.property(fees, fees, fee, fc.boolean(), (offered, dynamic, gasPriceMax, isLegacy) => {
        const before = isLegacy
          ? transactionOf(FROM, { gasPrice: offered.maxFeePerGas })
          : dynamicOf(FROM, offered);
        const after = again(before, { market: { gasPrice: 7n, dynamic }, gasPriceMax });
        if (after === undefined) return;
        if ('gasPrice' in after) {
          expect(after.gasPrice <= gasPriceMax && after.gasPrice > offered.maxFeePerGas).to.equal(true);
        } else {
          expect(after.maxFeePerGas <= gasPriceMax).to.equal(true);
          expect(after.maxFeePerGas > offered.maxFeePerGas).to.equal(true);
          expect(after.maxPriorityFeePerGas > offered.maxPriorityFeePerGas).to.equal(true);
        }
      }),
      { numRuns: cases(300, 100) },
    );
    expect(again(dynamicOf(FROM), { gasPriceMax: 2_000_000_000n })).to.equal(undefined);
  });

  it('offers ten times the first maximum fee at most by default', () => {
    const first = dynamicOf(FROM, { maxFeePerGas: 100n, maxPriorityFeePerGas: 1n });
    const dynamic = { maxFeePerGas: 5_000n, maxPriorityFeePerGas: 4_000n };
    expect(again(first, { market: { gasPrice: 7n, dynamic } })).to.deep.equal({
      ...first,
      maxFeePerGas: 1_000n,
      maxPriorityFeePerGas: 1_000n,
    });
  });

  const dynamic = { maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 1n };

  it('of the legacy type stays one, at 1.125 times its price', () => {
    expect(again(transactionOf(FROM), { market: { gasPrice: 10n ** 10n, dynamic } })).to.deep.equal(
      transactionOf(FROM, { gasPrice: 2_250_000_000n }),
    );
  });

  it('without a price goes on without one, until the chain has a base fee', () => {
    const free = transactionOf(FROM, { gasPrice: 0n });
    expect(again(free, { market: { gasPrice: 7n } })).to.equal(undefined);
    expect(again(free, { market: { gasPrice: 7n, dynamic } })).to.deep.equal({ ...free, gasPrice: 7n });
    expect(again({ ...free, gasPrice: 7n }, { first: free })).to.deep.equal({ ...free, gasPrice: 8n });
    expect(again(free, { market: { gasPrice: 7n, dynamic }, gasPriceMax: 5n })).to.deep.equal({
      ...free,
      gasPrice: 5n,
    });
  });
});
