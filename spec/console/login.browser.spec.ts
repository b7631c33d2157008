import { expect } from 'chai';
import { scenes } from '../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsOperator,
  logInAsTenant,
  NARROW,
  specBrowser,
} from './browser.js';

const TOKEN = 'operator-token-of-more-than-32-characters';

describe('the login of the console', () => {
  const browser = specBrowser();
  const scene = scenes();

  it('asks for the operator token, shows the page that was wanted, and ends with "Log out"', async () => {
    const { url } = await scene.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await page.goto('/console/no/such/page');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.title()).to.equal('Log in · Mirzam');
    await expectNoAxeViolations(page);

    await logInAsOperator(page, TOKEN);
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    expect(await page.getByText('operator', { exact: true }).count()).to.equal(1);
    await page.reload();
    await page.getByRole('heading', { name: 'No such page' }).waitFor();

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  });

  it('shows the message of the service beside the field when the token is wrong, and lets the viewer try again', async () => {
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

    await logInAsOperator(page, TOKEN);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('lets in the operator of this machine without OPERATOR_TOKEN, who may log in as a tenant', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.goto('/console');
    await page.getByText('operator (this machine)').waitFor();
    await page.getByRole('link', { name: 'Log in as a tenant' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Log in');

    await logInAsTenant(page);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.locator('.who').innerText()).to.equal('tenant demo');
    expect(await page.getByRole('link', { name: 'Actors' }).count()).to.equal(0);

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('operator (this machine)').waitFor();
  });

  it('shows the pages of another viewer who has logged in in another window', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.goto('/console');
    await page.getByText('operator (this machine)').waitFor();
    await logInAsTenant(await page.context().newPage());
    // Headless windows are never hidden: only the event tells that one is looked at again.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.getByText('tenant demo').waitFor();
    expect(await page.getByText('Facts/s').count()).to.equal(0);
  });

  it('says to a tenant whose page it is that he may not see', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/actors');
    await page.getByRole('heading', { name: 'Not your page' }).waitFor();
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
