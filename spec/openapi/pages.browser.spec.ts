import { expect } from 'chai';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from '../console/browser.js';
import { scenes } from '../e2e/scene.js';

describe('the pages below /docs in a browser', () => {
  const scene = scenes();
  const browser = specBrowser();

  for (const path of ['/docs', '/docs/operations', '/docs/readme', '/docs/adr/0001-house-and-layering']) {
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
      // The reference is long: axe takes seconds for it.
      if (path !== '/docs') await expectNoAxeViolations(page);
      await contents.getByRole('link', { name: 'Close the contents' }).click();
      await contents.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Contents', exact: true }).click();
      await contents.getByRole('link', { name: 'Operations' }).first().click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await contents.count()).to.equal(0);
    });
  }

  it('have their contents beside them on a wide screen', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.goto('/docs/operations');
    await page.getByRole('navigation', { name: 'Contents' }).getByText('On this page').waitFor();
    expect(await page.getByRole('link', { name: 'Contents', exact: true }).count()).to.equal(0);
  });
});
