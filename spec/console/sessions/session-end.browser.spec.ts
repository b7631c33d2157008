import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { addRule } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  FIGURES_REFUSED,
  logInAsOperator,
  logInAsTenant,
  specBrowser,
  takeCookie,
} from '../browser.js';

const TOKEN = 'operator-token-of-more-than-32-characters';

describe('a session of the console that ends while somebody works', () => {
  const browser = specBrowser();
  const open = scenes();

  /** The form of a new rule, open before a tenant whose session is going to end. */
  async function newRule(url: string): Promise<Page> {
    browser.expectError(/401/);
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/rules');
    await page.getByRole('button', { name: 'New rule' }).click();
    return page;
  }
  /** The log-in that takes the place of the page. */
  async function ended(page: Page, says: RegExp, way: string): Promise<void> {
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.getByRole('alert').getByText(says).waitFor();
    await page.locator('[aria-pressed="true"]', { hasText: way }).waitFor();
  }
  async function logInAgain(page: Page, [tenant, user, password] = ['demo', 'demo', 'demo']): Promise<void> {
    await page.getByLabel('Tenant', { exact: true }).fill(tenant);
    await page.getByLabel('User').fill(user);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Log out' }).waitFor({ state: 'attached' });
  }
  const KEPT = /What you typed was not sent, and is kept: .+ as tenant demo\.$/;

  it('says so, keeps the form that was open, and opens it again for the same tenant', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const page = await newRule(url);
    await page.getByLabel('Name', { exact: true }).fill('typed before');
    await page.getByLabel('Value', { exact: true }).fill('77');
    await takeCookie(page, 'POST', /\/rules$/);
    await page.getByRole('button', { name: 'Create rule' }).click();
    await ended(page, KEPT, 'Tenant');
    await expectNoAxeViolations(page);

    await logInAgain(page);
    await page.getByRole('dialog', { name: 'New rule' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('typed before');
    expect(await page.evaluate('document.activeElement.closest("dialog") !== null')).to.equal(true);
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('cell', { name: 'cpu > 77' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('shows nothing of it to another tenant', async () => {
    const { url } = await open.service({
      OPERATOR_TOKEN: TOKEN,
      IDENTITY_USERS: 'demo:demo:demo,other:olga:pass',
    });
    const page = await newRule(url);
    await page.getByLabel('Name', { exact: true }).fill('typed before');
    await takeCookie(page, 'POST', /\/rules$/);
    await page.getByRole('button', { name: 'Create rule' }).click();
    await ended(page, KEPT, 'Tenant');
    await logInAgain(page, ['other', 'olga', 'pass']);
    await page.getByText('tenant other', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New rule' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('');
  });

  it('opens the subscription of a server again', async () => {
    const { url, api } = await open.service({ OPERATOR_TOKEN: TOKEN });
    await addRule(api, 'web-1');
    browser.expectError(/401/);
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'web-1' }).click();
    await page.getByRole('button', { name: /^Subscribe to/ }).click();
    await page.getByLabel('Webhook URL').fill('https://receiver.example.org/');
    await takeCookie(page, 'POST', /\/subscription$/);
    await page.getByRole('dialog').getByRole('button', { name: 'Subscribe' }).click();
    await ended(page, KEPT, 'Tenant');
    await logInAgain(page);
    await page.getByRole('dialog', { name: 'New subscription' }).waitFor();
    expect(await page.getByLabel('Webhook URL').inputValue()).to.equal('https://receiver.example.org/');
  });

  it('gives way to a new one, although a request of the former one is refused later', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const page = await newRule(url);
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/rules$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await released;
      const headers = { ...(await route.request().allHeaders()), cookie: 'mirzam_session=ended' };
      await route.fulfill({ response: await route.fetch({ headers }) });
    });
    const refused = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/rules'),
    );
    await page.getByRole('button', { name: 'Create rule' }).click();
    const other = await page.context().newPage();
    await other.goto('/console');
    await other.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await logInAgain(page);
    release();
    expect((await refused).status()).to.equal(401);
    // The page has the refusal before this answer.
    await page.evaluate('fetch("/console/api/session").then((response) => response.text())');
    await page.getByRole('dialog', { name: 'New rule' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Log in' }).count()).to.equal(0);
  });

  it('says nothing after a log-out, in whatever order the page reads that the session is over', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.locator('.connection.live').waitFor();
    // One reading is the log-out's, one that of the stream, which ends with the session. The last one counts.
    const readings: Route[] = [];
    await page.route('**/console/api/session', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      readings.push(route);
      if (readings.length === 2)
        await page.evaluate('document.dispatchEvent(new Event("visibilitychange")); undefined');
      if (readings.length !== 3) return;
      for (const reading of readings) {
        const answered = page.waitForResponse((response) => response.request() === reading.request());
        await reading.continue();
        await (await answered).finished();
      }
    });
    browser.expectError(FIGURES_REFUSED);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('says to an operator that nothing was sent; says nothing after a log-out', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    browser.expectError(/401/);
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
    await page.locator('[aria-pressed="true"]', { hasText: 'Tenant' }).waitFor();

    await logInAsOperator(page, TOKEN);
    await page.context().clearCookies();
    // The overview is read again without a click.
    await ended(page, /Your session has ended, and nothing was sent since/, 'Operator');
  });
});
