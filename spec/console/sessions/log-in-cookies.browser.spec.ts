import { scenes } from '../../e2e/scene.js';
import { OTHER_NAME } from '../../servers/chromium.js';
import { expectNoAxeViolations, specBrowser } from '../browser.js';

const TOKEN = 'operator-token-of-more-than-32-characters';

describe('a log-in of which the browser does not keep the cookie', () => {
  const browser = specBrowser();
  const scene = scenes();

  it('says at http that the cookie is for https, and the address of the console', async () => {
    const publicUrl = `https://${OTHER_NAME}`;
    const { url } = await scene.service({ OPERATOR_TOKEN: TOKEN, PUBLIC_URL: publicUrl });
    // Chromium says so on its console: there is no https.
    browser.expectError(/Cross-Origin-Opener-Policy/);
    const page = await browser.open({ url: `http://${OTHER_NAME}:${new URL(url).port}` });
    await page.goto('/console');
    await page.getByLabel("Operator's token").fill(TOKEN);
    await page.keyboard.press('Enter');
    const said = page.getByRole('alert');
    await said.getByText('the browser has not kept the cookie').waitFor();
    await said.getByText(`open the console at ${publicUrl}/console.`).waitFor();
    await expectNoAxeViolations(page);
  });

  it('says at an address that is right that cookies have to be allowed', async () => {
    const { url } = await scene.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await page.goto('/console');
    await page.getByLabel("Operator's token").fill(TOKEN);
    await page.route('**/console/api/session', async (route) => {
      await page.context().clearCookies();
      await route.continue();
    });
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(`Allow cookies of ${url}, and log in again.`).waitFor();
  });
});
