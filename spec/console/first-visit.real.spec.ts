import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { scenes } from '../e2e/scene.js';
import { expectNoAxeViolations, specBrowser } from './browser.js';

/** Where the README has its pictures. `PICTURES=write` takes them anew. */
const PICTURES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const WRITE = process.env['PICTURES'] === 'write';

/** Takes a picture of what the window shows, in light and in dark. */
async function picture(page: Page, name: string): Promise<void> {
  if (!WRITE) return;
  await mkdir(PICTURES, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // The canvas of a series is drawn with the next frame.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await page.screenshot({ path: `${PICTURES}console-${name}-${colorScheme}.png` });
  }
}

describe('a first visit to the console', () => {
  const browser = specBrowser();
  const scene = scenes();

  it('plays the CPU series with one click; the server says why its rule fires, the overview that it does', async function () {
    this.timeout(90_000);
    const { url } = await scene.service({ LEDGER: 'on' });
    const page = await browser.open({ url, size: [1280, 800] });
    await page.goto('/console');
    await page.getByRole('button', { name: 'Play the CPU series' }).click();
    await page.getByRole('link', { name: 'Watch its server' }).click();
    await page.getByRole('heading', { name: 'demo-cpu' }).waitFor();
    await page.getByRole('img', { name: /cpu/ }).waitFor();
    // The number of facts: most of the 400 are there, and the series has crossed the threshold.
    await page.getByText(/^2[5-9]\d$/).waitFor({ timeout: 40_000 });
    expect(await page.getByRole('main').innerText()).to.match(/Holds since .*: the mean of cpu is/);
    await picture(page, 'server');

    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Overview' }).click();
    await page.locator('.firings').getByRole('link', { name: 'demo-cpu' }).waitFor();
    expect(await page.locator('.firing-sentence').innerText()).to.contain('the mean of cpu is');
    await page.getByText(/of 400 facts/).waitFor();
    await page.locator('.sparkline polyline').first().waitFor({ state: 'attached' });
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).to.equal(0);
    await expectNoAxeViolations(page);
    await picture(page, 'overview');
  });
});
