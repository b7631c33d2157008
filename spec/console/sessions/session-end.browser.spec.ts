import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { LogoutView } from '../../../src/console/shapes.js';
import { addRule } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  holdRequests,
  logInAsOperator,
  logInAsTenant,
  logOutElsewhere,
  SESSION_OVER,
  specBrowser,
  takeCookie,
} from '../browser.js';

const TOKEN = 'operator-token-of-more-than-32-characters';

/** Keeps the signal that ends the last reading of the overview. */
const KEEP_SIGNAL = `
  const send = window.fetch;
  window.fetch = (path, init) => {
    if (path === '/console/api/overview') window.reading = init.signal;
    return send(path, init);
  };
`;

describe('a session of the console that ends while somebody works', () => {
  const browser = specBrowser();
  const open = scenes();

  /** The form of a new rule, open before a tenant whose session is going to end. */
  async function newRule(url: string): Promise<Page> {
    browser.expectError(SESSION_OVER);
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
  /** Holds up the log-out of a page. Returns the function that refuses it. */
  async function holdLogOut(page: Page): Promise<() => void> {
    let refuse!: () => void;
    const refused = new Promise<void>((resolve) => (refuse = resolve));
    await page.route('**/console/api/session', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      await refused;
      await route.fulfill({ status: 503, json: { detail: 'The service is stopping.' } });
    });
    return refuse;
  }
  /** Expects that the page sends no request in a time in which several are due. */
  async function expectNoReading(page: Page): Promise<void> {
    const paths: string[] = [];
    page.on('request', (sent) => paths.push(new URL(sent.url()).pathname));
    await page.clock.runFor(10_000);
    // A request of the page would be there before this one.
    await page.evaluate('fetch("/console/api/session").then((response) => response.text())');
    expect(paths.filter((path) => path.startsWith('/console/api/'))).to.deep.equal(['/console/api/session']);
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
    browser.expectError(SESSION_OVER);
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
    await logOutElsewhere(page);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await logInAgain(page);
    release();
    expect((await refused).status()).to.equal(401);
    // The page has the refusal before this answer.
    await page.evaluate('fetch("/console/api/session").then((response) => response.text())');
    await page.getByRole('dialog', { name: 'New rule' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Log in' }).count()).to.equal(0);
  });

  it('says nothing after a log-out, although a reading says first that the session is over', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.route('**/console/api/session', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      // The browser has dropped the cookie now.
      const response = await route.fetch();
      const read = page.waitForResponse('**/console/api/session');
      await page.evaluate('document.dispatchEvent(new Event("visibilitychange")); undefined');
      await (await read).finished();
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('lets the page read nothing while it is being ended there, and read again if that is refused', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await page.clock.install();
    await page.addInitScript(KEEP_SIGNAL);
    await logInAsTenant(page);
    await page.locator('.connection.live').waitFor();
    const readOn = await holdRequests(page, '**/console/api/overview');
    const refuse = await holdLogOut(page);
    const underWay = page.waitForRequest('**/console/api/overview');
    await page.clock.runFor(3_000);
    await underWay;
    const leaving = page.waitForRequest((sent) => sent.method() === 'DELETE');
    await page.getByRole('button', { name: 'Log out' }).click();
    await leaving;
    expect(await page.evaluate('window.reading.aborted')).to.equal(true);
    await page.locator('.connection.live').waitFor({ state: 'detached' });
    await expectNoReading(page);

    browser.expectError(/ 503 .*\/console\/api\/session\)$/);
    readOn();
    refuse();
    await page.getByText('The service is stopping.').waitFor();
    await page.locator('.connection.live').waitFor();
    const read = page.waitForResponse('**/console/api/overview');
    await page.clock.runFor(3_000);
    await read;
  });

  it('lets the page read nothing between the log-out and the page of the OpenID provider', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await page.clock.install();
    await logInAsTenant(page);
    await page.locator('.connection.live').waitFor();
    await page.route('**/console/api/session', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      const response = await route.fetch();
      // This address does not end the page: the page of a slow provider is not there yet.
      const json = { ...((await response.json()) as LogoutView), providerLogout: '#provider' };
      await route.fulfill({ response, json });
    });
    const left = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Log out' }).click();
    await (await left).finished();
    await expectNoReading(page);
  });

  it('says to an operator that nothing was sent; says nothing after a log-out', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    browser.expectError(SESSION_OVER);
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
