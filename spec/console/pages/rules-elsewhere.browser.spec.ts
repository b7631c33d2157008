import { addGeneric, addRule, ALWAYS, okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { expectNoAxeViolations, specBrowser } from '../browser.js';
import { rulesPage } from './rules-page.js';

describe('the page of the rules of a tenant', () => {
  const browser = specBrowser();
  const open = scenes();

  it('shows a rule that is made, renamed and deleted elsewhere, without a reload', async () => {
    const { url, api } = await open.service();
    const page = await rulesPage(browser, url);
    await page.clock.install();
    await page.reload();
    await page.getByText('No rules of the tenant yet.').waitFor();
    const ruleId = await addGeneric(api);
    await page.clock.runFor(6_000);
    await page.getByRole('cell', { name: ALWAYS.name, exact: true }).waitFor();
    okBody(await api.call('PUT', `/v1.0/demo/rules/${ruleId}`, { name: 'renamed' }));
    await page.clock.runFor(6_000);
    await page.getByRole('cell', { name: 'renamed', exact: true }).waitFor();
    await api.call('DELETE', `/v1.0/demo/rules/${ruleId}`);
    await page.clock.runFor(6_000);
    await page.getByText('No rules of the tenant yet.').waitFor();
  });

  it('leads to the rules of one server, where it has none of the tenant', async () => {
    const { url, api } = await open.service();
    await addRule(api, 'web-1');
    const page = await rulesPage(browser, url);
    await page.getByText('A rule of one server alone is on the page of its server').waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('link', { name: 'its server' }).click();
    await page.getByRole('link', { name: 'web-1' }).waitFor();
  });
});
