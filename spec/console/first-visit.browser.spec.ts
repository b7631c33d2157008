import { expect } from 'chai';
import { scenes } from '../e2e/scene.js';
import { expectNoAxeViolations, specBrowser } from './browser.js';

describe('a first visit to the console', () => {
  const browser = specBrowser();
  const scene = scenes();

  it('plays the CPU series with one click; the server says why its rule fires, the overview that it does', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url, size: [1280, 800] });
    await page.goto('/console');
    await page.getByRole('button', { name: 'Play the CPU series' }).click();
    await page.getByRole('link', { name: 'Watch its server' }).click();
    await page.getByRole('heading', { name: 'demo-cpu' }).waitFor();
    await page.getByRole('img', { name: /cpu/ }).waitFor();
    await page
      .getByText(/^Holds since .*: the mean of cpu is/)
      .first()
      .waitFor();

    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Overview' }).click();
    await page.locator('.troubles').getByRole('link', { name: 'demo-cpu', exact: true }).waitFor();
    expect(await page.locator('.trouble-sentence').innerText()).to.contain('the mean of cpu is');
    await page.getByText(/of 400 facts/).waitFor();
    await page.locator('.sparkline polyline').first().waitFor({ state: 'attached' });
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).to.equal(0);
    await expectNoAxeViolations(page);
  });
});
