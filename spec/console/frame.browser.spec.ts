import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { reservedPort } from '../servers/ports.js';
import { addSubscribedRule, cpu, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsOperator,
  NARROW,
  SESSION_OVER,
  specBrowser,
  takeCookie,
} from './browser.js';

const OPERATOR_TOKEN = 'operator-token-of-more-than-32-characters';
/** Largest first view, bytes after gzip: page, scripts, stylesheet and icon. */
const FIRST_VIEW_MOST = 100_000;

/** The element that has the focus, by its text or its label. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    'document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText.trim()',
  );

describe('the frame of the console', () => {
  const browser = specBrowser();
  const scene = scenes();

  it('needs less than 100 kB after gzip for the first view', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    const asked: string[] = [];
    page.on('request', (sent) => asked.push(sent.url()));
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.locator('.connection.live').waitFor();
    const files = [...new Set([...asked.filter((file) => !file.includes('/api/')), `${url}/console`])];
    const icon = /href="(\/console\/assets\/icon-\w+\.svg)"/.exec(
      await (await fetch(`${url}/console`)).text(),
    );
    files.push(url + icon![1]!);
    const sizes = await Promise.all([...new Set(files)].map(gzippedSize));
    expect(files.some((file) => file.endsWith('.js'))).to.equal(true);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.lessThan(FIRST_VIEW_MOST);
  });

  it('says that there is no such page, and leads back', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.goto('/console/%3Cb%3Eno%3C%2Fb%3E/%E2%80%AEpage');
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('main').getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.title()).to.equal('Overview · Mirzam');
    expect(await focused(page)).to.equal('Overview');
    await page.goBack();
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
  });

  it('works by keyboard alone: the skip link first, then the navigation; Enter follows a link', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).to.equal('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('main');
    expect(await page.getByRole('heading', { name: 'Overview' }).count()).to.equal(1);

    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const stops: string[] = [];
    while (stops.at(-1) !== 'Log in as a tenant' && stops.length < 25) {
      await page.keyboard.press('Tab');
      stops.push(await focused(page));
    }
    expect(stops.slice(0, 4)).to.deep.equal(['Skip to content', 'Mirzam', 'Search', 'Overview']);
    expect(stops).to.include('Log in as a tenant');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await focused(page)).to.equal('Log in');
    expect(new URL(page.url()).pathname).to.equal('/console/login');
  });

  it('has a menu at 380 px that opens, leads to a page and closes, and nothing scrolls sideways', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url, size: NARROW });
    await page.goto('/console/no-page');
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await expectNoSidewaysScroll(page);
    const link = page.getByRole('link', { name: 'Log in as a tenant', exact: true });
    expect(await link.isVisible()).to.equal(false);
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await link.waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Open the menu' }).click();
    const navigation = page.getByRole('navigation', { name: 'Console' });
    await navigation.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await link.waitFor({ state: 'hidden' });
  });

  it('keeps the chosen theme over a new visit', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url, scheme: 'light' });
    await page.goto('/console');
    await page.getByRole('button', { name: 'Theme: dark' }).click();
    await page.locator('html[data-theme="dark"]').waitFor();
    const ground = 'getComputedStyle(document.documentElement).backgroundColor';
    const dark = await page.evaluate<string>(ground);
    await page.reload();
    expect(await page.evaluate<string>(ground)).to.equal(dark);
    await page.getByRole('button', { name: 'Theme: system' }).click();
    await page.locator('html:not([data-theme])').waitFor();
    expect(await page.evaluate<string>(ground)).to.not.equal(dark);
  });

  it('says that the connection is lost and since when, and catches up by itself', async () => {
    const folder = await scene.folder();
    const settings = { PORT: String(await reservedPort()), DATA_DIR: folder };
    const first = await scene.service(settings);
    const page = await browser.open({ url: first.url });
    browser.expectError(
      /ERR_CONNECTION_RE(?:FUSED|SET)|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|503/,
    );
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.locator('.connection.live').waitFor();
    // Without an answer the page would have nothing to keep, and would say so in an alert.
    await page.getByRole('heading', { name: 'Service', exact: true }).waitFor();

    await first.close();
    await page.getByText(/Connection lost .+ ago/).waitFor();
    await page.getByText('not live', { exact: true }).waitFor();
    // The page reads every two seconds. What the banner says is not said twice.
    await page.waitForEvent('requestfailed', (failed) => failed.url().endsWith('/overview'));
    // What the service said while it stopped is gone with this reading.
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await expectNoAxeViolations(page);

    const { api } = await scene.service(settings);
    const receiver = await scene.receiver();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'meanwhile', receiver.origin);
    await cpu(api, 'meanwhile', 99);
    await page.locator('.connection.live').waitFor();
    await page.locator('.troubles').getByRole('link', { name: 'meanwhile', exact: true }).waitFor();
    await page.locator('.banner').waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('shows the login when the session has ended, and then the page that was wanted', async () => {
    const { url } = await scene.service({ OPERATOR_TOKEN });
    const page = await browser.open({ url });
    browser.expectError(SESSION_OVER);
    await page.goto('/console/no-page');
    await logInAsOperator(page, OPERATOR_TOKEN);
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await takeCookie(page, 'GET', /\/overview$/);
    await page.getByRole('main').getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await logInAsOperator(page, OPERATOR_TOKEN);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
});

/** Returns the length of an answer's body as gzip brings it, bytes. */
async function gzippedSize(url: string): Promise<number> {
  const sent = request(url, { headers: { 'accept-encoding': 'gzip' } });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(answer.statusCode, url).to.equal(200);
  return (await buffer(answer)).length;
}
