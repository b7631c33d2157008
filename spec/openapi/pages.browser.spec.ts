import { expect } from 'chai';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from '../console/browser.js';
import { scenes } from '../e2e/scene.js';

describe('the pages below /docs in a browser', () => {
  const browser = specBrowser();
  const scene = scenes();

  for (const path of [
    '/docs',
    '/docs/api/rules-of-the-tenant',
    '/docs/readme',
    '/docs/adr/0001-house-and-layering',
  ]) {
    it(`are accessible and fit a narrow screen: ${path}`, async () => {
      const { url } = await scene.service();
      const page = await browser.open({ url, size: NARROW });
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
    });
  }

  for (const path of ['/docs', '/docs/operations']) {
    it(`have their title first on a narrow screen, and the contents when asked for: ${path}`, async () => {
      const { url } = await scene.service();
      const page = await browser.open({ url, size: NARROW });
      await page.goto(path);
      const title = page.getByRole('heading', { level: 1 });
      expect((await title.boundingBox())!.y).to.be.lessThan(NARROW[1] / 4);
      const contents = page.getByRole('navigation', { name: 'Contents' });
      expect(await contents.count()).to.equal(0);
      await page.getByRole('link', { name: 'Contents', exact: true }).click();
      await contents.waitFor();
      await expectNoAxeViolations(page);
      await contents.getByRole('link', { name: 'Close the contents' }).click();
      await contents.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Contents', exact: true }).click();
      await contents.getByRole('link', { name: 'Operations' }).first().click();
      await contents.waitFor({ state: 'detached' });
      await page.getByRole('heading', { level: 1, name: 'Operations' }).waitFor();
    });
  }

  it('are searched with the keyboard alone', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.goto('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('mail_timezone');
    const search = page.getByRole('search');
    const link = search.getByRole('link', { name: 'Webhooks and e-mail' });
    await link.waitFor();
    await expectNoAxeViolations(page);
    const focused = 'document.activeElement.textContent';
    const isFocused = async () => (await page.evaluate<string>(focused)).startsWith('Webhooks and e-mail');
    for (let i = 0; i < 12 && !(await isFocused()); i += 1) await page.keyboard.press('ArrowDown');
    expect(await isFocused()).to.equal(true);
    await page.keyboard.press('Enter');
    // The keys are heard once the page is loaded.
    await page.waitForURL('**/docs/settings#webhooks-and-e-mail');
    await page.getByRole('heading', { name: 'Webhooks and e-mail' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('add a rule (operation 4)');
    await search.getByText(/ found/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/api/**');
    await page.keyboard.press('/');
    await page.keyboard.type('qqzzx');
    await search.getByText('Nothing has “qqzzx”.').waitFor();
    await page.keyboard.press('Escape');
    await search.getByText('Nothing has').waitFor({ state: 'hidden' });
  });

  it('are searched on a phone', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url, size: NARROW, phone: true });
    await page.goto('/docs/operations');
    await page.getByRole('searchbox', { name: 'Search the documents' }).fill('acknowledge');
    await page.getByRole('search').getByRole('link').first().waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });

  it('have a button that copies a command, with the address of the reader', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/docs/api/rules-of-the-tenant');
    const block = page.locator('.code', { hasText: 'curl -s' }).first();
    const command = await block.locator('pre').innerText();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.equal(command);
    expect(command).to.include(url);
  });

  it('have the theme that was chosen in the console', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.goto('/console');
    await page.getByRole('button', { name: 'Theme: dark' }).click();
    await page.goto('/docs');
    expect(
      await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor'),
    ).to.equal('rgb(13, 16, 21)');
  });

  it('have their contents beside them on a wide screen', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.goto('/docs/operations');
    await page.getByRole('navigation', { name: 'Contents' }).getByText('On this page').waitFor();
    expect(await page.getByRole('link', { name: 'Contents', exact: true }).count()).to.equal(0);
  });
});
