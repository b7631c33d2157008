import { expect } from 'chai';
import { sharedLedger } from '../../e2e/ledger/scene.js';
import { FREE_CHAIN } from '../../servers/chain.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from '../browser.js';
import { acceptedNotification } from './accepted-notification.js';

describe('accepted notifications in the console', () => {
  const browser = specBrowser();
  // The chain refuses each transaction: none of its blocks has so much gas.
  const clock = { ahead: 0 };
  const ledger = sharedLedger({ GAS_LIMIT: '1000000000' }, FREE_CHAIN, () => Date.now() + clock.ahead);

  const accept = (entities: number): Promise<string> =>
    acceptedNotification(ledger(), entities, { 'NGSILD-Tenant': 'acme' });

  it('are listed while they are pending and after they failed, with the reason, on every screen', async () => {
    const page = await browser.open({ url: ledger().url });
    await page.goto('/console/ledger');
    await page.getByRole('heading', { name: 'Entities' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Not recorded yet' }).count()).to.equal(0);

    const failed = await accept(2);
    const row = page.getByRole('row').filter({ hasText: failed });
    await row.getByText('failed', { exact: true }).waitFor();
    for (const text of ['acme', 'the chain refuses the transaction'])
      expect(await row.innerText()).to.contain(text);
    expect(await row.locator('[data-head=Entities]').innerText()).to.equal('2');

    await ledger().anvil.kill('SIGKILL');
    // An answer of the node counts for five seconds: what is accepted in that time is signed, and has no reason yet.
    clock.ahead = 6_000;
    const waiting = page.getByRole('row').filter({ hasText: await accept(1) });
    await waiting.getByText('pending', { exact: true }).waitFor();
    await waiting.getByText('the node of the chain').waitFor();
    await page.getByText('notifications of brokers: 1 pending, 1 failed').waitFor();
    await expectNoAxeViolations(page);

    const narrow = await browser.open({ url: ledger().url, size: NARROW });
    await narrow.goto('/console/ledger');
    await narrow.getByText(failed).waitFor();
    await expectNoSidewaysScroll(narrow);
    await expectNoAxeViolations(narrow);
  });

  it('are actors with a statechart, which lead to the ledger', async () => {
    const operation = await accept(1);
    const page = await browser.open({ url: ledger().url });
    await page.goto(`/console/actors/operation/acme/${operation.split('.')[0]}`);
    await page.getByRole('link', { name: 'Ledger' }).last().waitFor();
    for (const state of ['pending', 'recorded', 'failed'])
      await page.locator('svg').getByText(state, { exact: true }).first().waitFor();
    await expectNoAxeViolations(page);
  });
});
