import { expect } from 'chai';
import { ALWAYS, addRule, addSubscribedRule } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { logInAsTenant, specBrowser } from '../browser.js';

describe('the form of a subscription', () => {
  const browser = specBrowser();
  const scene = scenes();

  it('offers the newest rule without a subscription first', async () => {
    const { url, api } = await scene.service();
    await addRule(api, 'web-1', { ...ALWAYS, name: 'older' });
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', { ...ALWAYS, name: 'subscribed' });
    await addRule(api, 'web-1', { ...ALWAYS, name: 'newest' });
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/servers?query=web-1');
    await page.getByRole('link', { name: 'web-1' }).click();
    await page.getByRole('button', { name: 'Subscribe', exact: true }).first().click();
    const options = page.getByLabel('Rule', { exact: true }).locator('option');
    await options.nth(2).waitFor({ state: 'attached' });
    expect(await options.allInnerTexts()).to.deep.equal(['newest', 'older', 'subscribed']);
  });
});
