import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  NARROW,
  SESSION_OVER,
  specBrowser,
} from '../browser.js';
import { ssoStage } from './sso-stage.js';

/** Follows the link to the provider, and gives the name there. */
async function enterAs(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Log in with single sign-on' }).click();
  await page.getByRole('heading', { name: 'Provider' }).waitFor();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Enter' }).click();
}

/** Logs ann in with the cookies of a page, as far as the redirect to the callback. Returns its address. */
async function callbackOf(page: Page, start: string): Promise<string> {
  const { request } = page.context();
  const once = { maxRedirects: 0 };
  let answer = await request.get(start, once);
  for (;;) {
    const { location } = answer.headers();
    if (location === undefined) {
      answer = await request.post(answer.url(), { ...once, form: { name: 'ann' } });
      continue;
    }
    const next = new URL(location, answer.url()).href;
    if (next.includes('/console/login/callback?')) return next;
    answer = await request.get(next, once);
  }
}

/** Expects the login page with this message. */
async function expectRefused(page: Page, message: RegExp): Promise<void> {
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  expect(await page.getByRole('alert').innerText()).to.match(message);
}

describe('single sign-on in a browser', () => {
  const browser = specBrowser();
  const open = scenes();

  it('logs in, leads to the page that was wanted, shows the name, and logs out at the provider too', async () => {
    const { url } = await ssoStage(open);
    const page = await browser.open({ url });
    await page.goto('/console/rules');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await expectNoAxeViolations(page);
    await enterAs(page, 'ann');
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
    expect(page.url()).to.equal(`${url}/console/rules`);
    expect(await page.locator('.who').innerText()).to.equal('tenant acme');
    expect(await page.locator('.who-name').innerText()).to.equal('ann@acme.example');
    await expectNoAxeViolations(page);

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(page.url().split('?')[0]).to.equal(`${url}/console/login`);
    expect(await page.getByRole('alert').count()).to.equal(0);
    await enterAs(page, 'olga');
    await page.getByText('Olga Operator').waitFor();
    await page.getByRole('link', { name: 'Actors' }).waitFor({ state: 'attached' });
  });

  it('leads an ended session back to the page, as the same tenant of several', async () => {
    const clock = { ahead: 0 };
    const stage = await ssoStage(open, {}, { now: () => Date.now() + clock.ahead });
    const page = await browser.open({ url: stage.url });
    await page.goto('/console/deliveries?state=dead');
    await enterAs(page, 'bob');
    await page.getByText('Choose the tenant to log in as.').waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('link', { name: 'bolt' }).click();
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();

    browser.expectError(SESSION_OVER);
    clock.ahead = 43_201_000;
    // Headless windows are never hidden: only the event tells that one is looked at again.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.getByText('Your session has ended').waitFor();
    // A reading of the page that is under way must not find the session valid again.
    await page.route('**/console/login/start*', async (route) => {
      clock.ahead = 0;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Log in with single sign-on' }).click();
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
    expect(page.url()).to.equal(`${stage.url}/console/deliveries?state=dead`);
    expect(await page.locator('.who').innerText()).to.equal('tenant bolt');
  });

  it('says why a person without a tenant is not let in', async () => {
    const { url } = await ssoStage(open);
    const page = await browser.open({ url, size: NARROW });
    await page.goto('/console');
    await enterAs(page, 'zed');
    await expectRefused(page, /"Zed" has no tenant: its claim "tenant" is missing/);
    await expectNoAxeViolations(page);
    await expectNoSidewaysScroll(page);
  });

  it('refuses a callback of another browser, of a forged state, and a second time', async () => {
    const { url } = await ssoStage(open);
    const [page, victim] = [await browser.open({ url }), await browser.open({ url })];
    const callback = await callbackOf(page, `${url}/console/login/start?next=/console/rules`);

    await victim.goto(callback);
    await expectRefused(victim, /belongs to no login of this browser/);
    await victim.goto('/console');
    await victim.getByRole('heading', { name: 'Log in' }).waitFor();

    const cookies = await page.context().cookies();
    await page.goto(callback.replace(/state=[^&]+/, 'state=forged'));
    await expectRefused(page, /belongs to no login of this browser/);

    await page.context().addCookies(cookies);
    await page.goto(callback);
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
    await page.context().clearCookies({ name: 'mirzam_session' });
    await page.context().addCookies(cookies);
    await page.goto(callback);
    await expectRefused(page, /was used already/);
  });

  it('says that the provider is down, and leaves the other logins', async () => {
    const { url, provider } = await ssoStage(open, {}, { isDown: true });
    const page = await browser.open({ url });
    await page.goto('/console');
    await page.getByRole('link', { name: 'Log in with single sign-on' }).click();
    await expectRefused(page, /cannot be used: it answered 503/);
    await page.getByRole('button', { name: 'Tenant', exact: true }).waitFor();
    await expectNoAxeViolations(page);
    provider.serve(url);
    await enterAs(page, 'ann');
    await page.getByText('tenant acme').waitFor();
  });
});
