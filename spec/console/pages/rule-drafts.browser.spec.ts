import { expect } from 'chai';
import { addGeneric, ALWAYS, okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { logInAsTenant, navigationLink, specBrowser } from '../browser.js';

describe('a change of a rule that was typed and not sent', () => {
  const browser = specBrowser();
  const open = scenes();

  it('comes back with the form, and leaves alone what somebody else has changed', async () => {
    const { url, api } = await open.service();
    const ruleId = await addGeneric(api);
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/rules');
    await page.getByRole('button', { name: 'Change always' }).click();
    await page.getByLabel('Value', { exact: true }).fill('77');
    await page.keyboard.press('Escape');

    okBody(await api.call('PUT', `/v1.0/demo/rules/${ruleId}`, { name: 'renamed' }));
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await navigationLink(page, 'Rules').click();
    await page.getByRole('button', { name: 'Change renamed' }).click();
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).to.equal('77');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('cell', { name: 'cpu ≥ 77' }).waitFor();
    expect(okBody(await api.call('GET', `/v1.0/demo/rules/${ruleId}`))).to.deep.equal({
      ...ALWAYS,
      ruleId,
      name: 'renamed',
      condition: { cpu: { value: 77, operand: 'greater equal' } },
    });
  });
});
