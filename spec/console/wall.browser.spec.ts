import { expect } from 'chai';
import { addSubscribedRule, cpu, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { expectNoAxeViolations, specBrowser } from './browser.js';

describe('the overview on a wall', () => {
  const browser = specBrowser();
  const open = scenes();

  it('fills the screen without controls, follows what happens, and ends with Escape', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
    await cpu(api, 'web-1', 99);
    const page = await browser.open({ url, size: [1440, 900] });
    await page.goto('/console');
    await page.getByRole('link', { name: 'firing 1' }).waitFor();
    await page.getByRole('button', { name: 'Show on a wall' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').waitFor({ state: 'detached' });
    await eventually(
      async () =>
        (await page.evaluate('document.fullscreenElement === document.documentElement')) || undefined,
      SOON_MS,
      () => 'the page does not fill the screen',
    );
    expect(await page.getByRole('button').count()).to.equal(0);
    expect(new URL(page.url()).search).to.equal('?wall=on');
    await addSubscribedRule(api, 'web-2', 'http://127.0.0.1:9/');
    await cpu(api, 'web-2', 99);
    await page.getByRole('link', { name: 'firing 2' }).waitFor();
    await expectNoAxeViolations(page);
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Console' }).waitFor();
    expect(new URL(page.url()).search).to.equal('');
  });
});

describe('the sound of the overview', () => {
  const browser = specBrowser();
  const open = scenes();

  it('is off until it is wanted, is remembered, and is heard when more are in trouble', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const receiver = await open.receiver();
    for (const server of ['web-1', 'web-2', 'web-3']) {
      await addSubscribedRule(api, server, receiver.origin);
    }
    const page = await browser.open({ url });
    await page.addInitScript(`
      window.tones = 0;
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (at) { window.tones += 1; start.call(this, at); };
    `);
    const tones = (count: number): Promise<true> => {
      let heard: unknown;
      return eventually(
        async () => (heard = await page.evaluate('window.tones')) === count || undefined,
        SOON_MS,
        () => `there were ${String(heard)} tones, not ${count}`,
      );
    };
    await page.goto('/console');
    const button = page.getByRole('button', { name: 'Sound' });
    await cpu(api, 'web-1', 99);
    await page.getByRole('link', { name: 'firing 1' }).waitFor();
    await tones(0);
    // The first sound of a browser starts a process of its own, and the page plays none that comes late.
    await page.evaluate('new AudioContext().resume()');
    await button.click();
    await tones(2);
    await page.reload();
    expect(await button.getAttribute('aria-pressed')).to.equal('true');
    await page.getByRole('link', { name: 'firing 1' }).waitFor();
    await eventually(
      async () => (await page.title()).startsWith('(1)') || undefined,
      SOON_MS,
      () => 'the title has no number',
    );
    await cpu(api, 'web-2', 99);
    await tones(2);
    await button.click();
    await cpu(api, 'web-3', 99);
    await page.getByRole('link', { name: 'firing 3' }).waitFor();
    await tones(2);
  });

  it('is said to be blocked after a reload until somebody clicks, on a wall too', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', (await open.receiver()).origin);
    const page = await browser.open({ url, size: [1440, 900] });
    await page.addInitScript("localStorage.setItem('mirzam-sound', 'on')");
    await page.goto('/console?wall=on');
    // Evaluations of Playwright count as touches of the page: until the click nothing is evaluated.
    const warning = page.getByText('The browser plays no sound until somebody has clicked on this page.');
    await warning.waitFor();
    await page.mouse.click(700, 880);
    await warning.waitFor({ state: 'detached' });
    await page.getByText('Facts/s').waitFor();
    await expectNoAxeViolations(page);
  });
});
