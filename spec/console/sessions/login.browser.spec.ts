import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  holdRequests,
  logInAsOperator,
  logInAsTenant,
  logOutElsewhere,
  NARROW,
  navigationLink,
  SESSION_OVER,
  specBrowser,
} from '../browser.js';

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
    browser.expectError(/401 .*\/console\/api\/session\)$/);
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
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('link', { name: 'Log in as a tenant', exact: true }).click();
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
    // The page does not know at once that its viewer may not read this any more.
    browser.expectError(/403 .*\/console\/api\/demo\)$/);
    await logInAsTenant(await page.context().newPage());
    // Headless windows are never hidden: only the event tells that one is looked at again.
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await page.getByText('tenant demo').waitFor();
    expect(await page.getByText('Facts/s').count()).to.equal(0);
  });

  it('keeps the viewer when an older answer about the session comes late', async () => {
    const { url } = await scene.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    // The answer to the first request says that nobody is there.
    await page.route(
      '**/console/api/session',
      async (route) => {
        const response = await route.fetch();
        await released;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const late = page.waitForRequest('**/console/api/session');
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
    await late;
    await logInAsOperator(page, TOKEN);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    release();
    // The page has the late answer before this one.
    await page.evaluate('fetch("/console/api/session").then((response) => response.text())');
    await navigationLink(page, 'Servers').click();
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  });

  describe('before the page knows who has logged in in another window', () => {
    /** Opens the overview, holds up what the page asks about the session, and logs in as a tenant in another window. */
    async function logInElsewhere(settings: Record<string, string>, logIn: (page: Page) => Promise<void>) {
      const { url } = await scene.service(settings);
      const page = await browser.open({ url });
      await page.clock.install();
      await page.goto('/console');
      await logIn(page);
      await page.getByRole('button', { name: 'Play the CPU series' }).waitFor();
      await page.locator('.connection.live').waitFor();
      // Readings are a second apart, and the stream's beginning causes one.
      await page.clock.runFor(3_000);
      const release = await holdRequests(page, '**/console/api/session');
      const paths: string[] = [];
      page.on('request', (request) => paths.push(new URL(request.url()).pathname));
      await logInAsTenant(await page.context().newPage());
      return { page, release, paths };
    }
    type Login = Awaited<ReturnType<typeof logInElsewhere>>;

    /** Expects no request that only an operator may send, in the time in which one is due. */
    async function expectNoRequest({ page, release, paths }: Login): Promise<void> {
      await page.clock.runFor(1_500);
      release();
      await page.getByText('tenant demo').waitFor();
      expect(paths).not.to.include('/console/api/demo');
    }

    it('reads nothing for the operator of this machine when the page is looked at again', async () => {
      const login = await logInElsewhere({}, async () => {});
      // Headless windows are never hidden: only the event tells that one is looked at again.
      await login.page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
      await expectNoRequest(login);
    });

    it('reads nothing for an operator whose event stream has ended with the session', async () => {
      const login = await logInElsewhere({ OPERATOR_TOKEN: TOKEN }, (page) => logInAsOperator(page, TOKEN));
      // It may have ended, and begun again, while the tenant logged in.
      await eventually(
        () => login.paths.includes('/console/api/events') || undefined,
        SOON_MS,
        () => 'the event stream has not begun again',
      );
      await login.page.locator('.connection.live').waitFor();
      await expectNoRequest(login);
    });
  });

  it('shows the login where a rule was being typed when somebody logs out in another window, and keeps it', async () => {
    const { url } = await scene.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/rules');
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('long thought about');
    browser.expectError(SESSION_OVER);
    await logOutElsewhere(page);
    // Nobody touches the page.
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.bringToFront();
    await expectNoAxeViolations(page);

    for (const name of ['Tenant', 'User', 'Password'])
      await page.getByLabel(name, { exact: true }).fill('demo');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('dialog', { name: 'New rule' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('long thought about');
  });

  it('gives its place to the operator of this machine when a tenant logs out in another window', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.locator('.connection.live').waitFor();
    browser.expectError(SESSION_OVER);
    await logOutElsewhere(page);
    await page.getByText('operator (this machine)').waitFor();
    await page.locator('.connection.live').waitFor();
  });

  it('says to a tenant whose page it is that he may not see', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/actors');
    await page.getByRole('heading', { name: 'No access' }).waitFor();
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
