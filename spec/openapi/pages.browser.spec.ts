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
});
