import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { addSubscribedRule, cpu, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { specBrowser } from '../browser.js';

/** HTTP/1.1 connections that a browser has for all windows of one service. */
const CONNECTIONS = 6;

const STREAM = '/console/api/events';

/** Says what the page hears of its visibility: headless windows are never hidden. Begins hidden. */
const HIDDEN = `
  window.visibility = 'hidden';
  Object.defineProperty(document, 'visibilityState', { get: () => window.visibility });
`;
const turn = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate(
    `window.visibility = '${state}'; document.dispatchEvent(new Event('visibilitychange')); undefined`,
  );

describe('a window of the console that is hidden', () => {
  const browser = specBrowser();
  const scene = scenes();

  /** Opens a window that is hidden. Returns the paths that it asks for, too. */
  async function opened(url: string) {
    const page = await browser.open({ url });
    await page.clock.install();
    await page.addInitScript(HIDDEN);
    const asked: string[] = [];
    page.on('request', (sent) => asked.push(new URL(sent.url()).pathname));
    await page.goto('/console');
    await page.getByRole('button', { name: 'Play the CPU series' }).waitFor();
    return { page, asked };
  }
  const live = (page: Page): Promise<void> => page.locator('.connection.live').waitFor();

  it('reads its page, and opens the event stream once it is shown', async () => {
    const { url } = await scene.service();
    const { page, asked } = await opened(url);
    await page.clock.runFor(60_000);
    expect(asked).not.to.include(STREAM);
    await turn(page, 'visible');
    await live(page);
    expect(asked.filter((path) => path === STREAM)).to.have.lengthOf(1);
  });

  it('keeps the number of those in trouble in its title', async () => {
    const { url, api } = await scene.service();
    const { origin } = await scene.receiver();
    await windowSize(api, 1);
    const { page } = await opened(url);
    await addSubscribedRule(api, 'web-1', origin);
    await cpu(api, 'web-1', 95);
    await eventually(
      async () => {
        // Faster than the answers the clock would end every reading.
        const answered = page.waitForResponse('**/console/api/trouble');
        await page.clock.runFor(3_000);
        await (await answered).finished();
        return (await page.title()) === '(1) Overview · Mirzam' || undefined;
      },
      SOON_MS,
      () => 'the title does not say it',
    );
  });

  it('ends its stream soon, and does not try again after a refusal until it is shown', async () => {
    const { url } = await scene.service();
    const { page, asked } = await opened(url);
    await turn(page, 'visible');
    await live(page);
    const ended = page.waitForEvent('requestfailed', (sent) => sent.url().includes(STREAM));
    await turn(page, 'hidden');
    await page.clock.runFor(6_000);
    await ended;

    browser.expectError(/503/);
    await page.route(`**${STREAM}*`, (route) => route.fulfill({ status: 503 }));
    const refused = page.waitForResponse(`**${STREAM}*`);
    const read = page.waitForResponse('**/console/api/session');
    await turn(page, 'visible');
    await Promise.all([refused, read]);
    await turn(page, 'hidden');
    asked.length = 0;
    await page.clock.runFor(60_000);
    expect(asked).not.to.include.oneOf([STREAM, '/console/api/session']);
    await page.unroute(`**${STREAM}*`);
    await turn(page, 'visible');
    await live(page);
  });

  it('leaves the connections to the window that is looked at, were there as many as the browser has', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await page.goto('/console/servers');
    await live(page);
    for (let n = 0; n < CONNECTIONS; n += 1) {
      const other = await page.context().newPage();
      await other.addInitScript(HIDDEN);
      await other.goto(`${url}/console/servers`);
      await other.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
    }
    await page.getByRole('searchbox', { name: 'Part of the id' }).fill('no such server');
    await page.getByText('No such server').waitFor();
  });
});
