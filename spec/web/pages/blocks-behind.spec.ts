import { expect } from 'chai';
import type { OverviewView } from '../../../src/console/shapes.js';
import { pageModule } from '../forms/page-module.js';

type Ledger = NonNullable<OverviewView['ledger']>;
type BlocksBehind = (ledger: Ledger, dependencies: OverviewView['dependencies']) => object;

describe('the figure of the blocks behind', () => {
  let blocksBehind: BlocksBehind;
  before(async () => {
    const page = await pageModule('pages/overview/blocks-behind.ts');
    ({ blocksBehind } = page as unknown as { blocksBehind: BlocksBehind });
  });
  const ledger = (head: number | null, behind: number | null): Ledger => ({
    head,
    blocksBehind: behind,
    pendingNonces: { count: 0, more: false },
  });
  const chain = (status: 'up' | 'down') => [{ name: 'chain' as const, status, since: null, detail: null }];

  it('has the number, and warns from the sixth', () => {
    expect(blocksBehind(ledger(9, 0), chain('up'))).to.deep.equal({
      count: 0,
      warn: false,
      note: { newest: 9 },
    });
    expect(blocksBehind(ledger(9, 5), [])).to.include({ count: 5, warn: false });
    expect(blocksBehind(ledger(9, 6), [])).to.include({ count: 6, warn: true });
  });

  it('has no number while the chain is down, or has not answered', () => {
    expect(blocksBehind(ledger(9, 0), chain('down'))).to.deep.equal({
      count: null,
      warn: true,
      note: 'The chain is down',
    });
    expect(blocksBehind(ledger(null, null), [])).to.include({ count: null, warn: true });
  });
});
