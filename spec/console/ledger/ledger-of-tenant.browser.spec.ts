import { expect } from 'chai';
import { apiClient } from '../../e2e/api-client.js';
import { anyId, building, ENTITIES, receiptIn, sharedLedger } from '../../e2e/ledger/scene.js';
import { expectNoAxeViolations, logInAsTenant, specBrowser } from '../browser.js';

describe('the ledger in the console of a tenant', () => {
  const browser = specBrowser();
  const ledger = sharedLedger({ LEDGER_AUTH: 'token' });

  it('lists its entities without the figures, which are of all tenants', async () => {
    const { url } = ledger();
    const id = anyId();
    const { token } = await apiClient(url);
    receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id), { 'X-Auth-Token': token }));
    const page = await browser.open({ url });
    const heads = async (): Promise<readonly string[]> => {
      await page.goto('/console/ledger');
      await page.getByRole('link', { name: id }).waitFor();
      return page.getByRole('columnheader').allInnerTexts();
    };
    expect(await heads()).to.deep.equal(['Entity', 'Transactions', 'Last operation', 'When']);
    await logInAsTenant(page);
    await page.getByText('tenant demo').waitFor();
    expect(await heads()).to.deep.equal(['Entity']);
    await expectNoAxeViolations(page);
  });
});
