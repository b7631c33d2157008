import { scenes } from '../e2e/scene.js';
import { OTHER_NAME } from '../servers/chromium.js';
import { logInAsTenant, navigationLink, specBrowser } from './browser.js';

describe('the console at http, under a name that is not of this machine alone', () => {
  const browser = specBrowser();
  const scene = scenes();

  it('goes from page to page and back, though browsers keep some of their functions for https', async () => {
    const { url } = await scene.service({ PUBLIC_URL: `http://${OTHER_NAME}` });
    browser.expectError(/Cross-Origin-Opener-Policy/);
    const page = await browser.open({ url: `http://${OTHER_NAME}:${new URL(url).port}` });
    await logInAsTenant(page);
    await navigationLink(page, 'Rules').click();
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
  });
});
