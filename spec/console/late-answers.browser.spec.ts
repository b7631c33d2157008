import type { Page } from 'playwright-core';
import { scenes } from '../e2e/scene.js';
import { holdRequests, specBrowser } from './browser.js';

describe('a page of the console whose reading has no answer', () => {
  const browser = specBrowser();
  const scene = scenes();
  const said = (page: Page) => page.getByRole('alert').getByText('has not answered for 15 seconds');

  it('says so after 15 seconds, though it would read again every two', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.clock.install();
    await page.goto('/console');
    await page.locator('.connection.live').waitFor();
    const release = await holdRequests(page, '**/console/api/overview');
    const asked = page.waitForRequest('**/console/api/overview');
    await page.clock.runFor(3_000);
    await asked;
    await page.clock.runFor(16_000);
    await said(page).waitFor();
    release();
    await page.clock.runFor(3_000);
    await said(page).waitFor({ state: 'detached' });
  });

  it('offers to try again where it has shown nothing yet', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.clock.install();
    const release = await holdRequests(page, '**/console/api/session');
    const asked = page.waitForRequest('**/console/api/session');
    await page.goto('/console');
    await asked;
    await page.clock.runFor(16_000);
    await said(page).waitFor();
    release();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
});
