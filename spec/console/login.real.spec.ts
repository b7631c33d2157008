import { expect } from 'chai';
import { scenes } from '../e2e/scene.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from './browser.js';

const TOKEN = 'operator-token-of-more-than-32-characters';

describe('the login of the console', () => {
  const scene = scenes();
  const browser = specBrowser();

  it('asks for the operator token at any address of the console', async () => {
    const { url } = await scene.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await page.goto('/console/no/such/page');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.title()).to.equal('Log in · Mirzam');
    await expectNoAxeViolations(page);
  });

  it('shows the message of the service beside the field when the token is wrong', async () => {
    const { url } = await scene.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    browser.expectError(/401/);
    await page.goto('/console');
    const token = page.getByLabel("Operator's token");
    await token.fill('wrong');
    await page.keyboard.press('Enter');
    await page.locator('input[aria-invalid="true"]').waitFor();
    const described = await token.getAttribute('aria-describedby');
    const error = page.locator(`[id="${described}"]`);
    expect(await error.innerText()).to.match(/operatorToken|OPERATOR_TOKEN/);
    expect(await page.locator('input:focus').getAttribute('name')).to.equal('operatorToken');
    await expectNoAxeViolations(page);
  });

  it('needs no horizontal scroll at 380 px', async () => {
    const { url } = await scene.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url, size: NARROW });
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'Tenant', exact: true }).click();
    await expectNoSidewaysScroll(page);
  });
});
