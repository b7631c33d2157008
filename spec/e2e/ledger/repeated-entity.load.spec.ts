import { expect } from 'chai';
import { sharedLedger, UPSERT } from './scene.js';

describe('a batch in which one entity comes many times', () => {
  const ledger = sharedLedger({ LEDGER_WAIT_S: '200' });

  /** CPU time that a batch of `count` entries takes, ms; each of `names` comes as often as the others. */
  async function cpuOf(count: number, names: readonly string[]): Promise<number> {
    const batch = Array.from({ length: count }, (_, i) => ({ id: names[i % names.length]!, type: 'T' }));
    const before = process.cpuUsage();
    const { status } = await ledger().ask(`POST ${UPSERT}`, batch);
    const { user, system } = process.cpuUsage(before);
    expect(status).to.equal(200);
    return (user + system) / 1000;
  }

  it('costs in proportion to its length, and not to its square', async () => {
    const warm = ['urn:warm'];
    await cpuOf(1_000, warm);
    const short = await cpuOf(2_000, ['urn:short']);
    const long = await cpuOf(12_000, ['urn:long']);
    // Six times as much, and room for noise; its square would be 36 times.
    expect(long / short).to.be.below(15);
    expect(await ledger().trace('urn:long')).to.have.length(12_000);
  });
});
