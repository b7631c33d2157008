import { expect } from 'chai';
import { scenes } from '../../e2e/scene.js';
import { expectNoAxeViolations, holdRequests, specBrowser } from '../browser.js';
import { rulesPage } from './rules-page.js';

/** Times of as many measurements as a window holds. */
const TIMES = Array.from({ length: 5 }, (_, n) => `2026-11-21 10:0${n}`);

describe('the outcome of a rule that was tried on the past', () => {
  const browser = specBrowser();
  const open = scenes();

  it('says when an outcome is of an earlier rule, file or column, until it is tried again or back as it was', async () => {
    const { url } = await open.service();
    const page = await rulesPage(browser, url);
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByText('Try it on the past').click();
    const tryIt = (): Promise<void> => page.getByRole('button', { name: 'Try the rule' }).click();
    const choose = (load: number): Promise<void> =>
      page.getByLabel('Measurements as CSV').setInputFiles({
        name: 'a.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(['at,load,idle', ...TIMES.map((time) => `${time},${load},5`)].join('\n')),
      });
    const outdated = (what: string): Promise<void> =>
      page.locator('.outcome [role=status]', { hasText: `The ${what} changed since` }).waitFor();
    const current = async (text: string): Promise<void> => {
      await page.locator('.outcome:not(.outdated) [role=status]', { hasText: text }).waitFor();
      expect(await page.getByText('changed since').count()).to.equal(0);
    };
    const value = page.getByLabel('Value', { exact: true });
    await value.fill('85');
    await choose(90);
    await page.getByText('a.csv: 5 lines').waitFor();
    await tryIt();
    await page.getByText('1 firing.').waitFor();
    await page.locator('.outcome canvas').waitFor();

    await value.fill('99');
    await outdated('rule has');
    expect(await page.locator('.outcome [role=status]').innerText()).to.include('1 firing.');
    await expectNoAxeViolations(page);
    await value.fill('85');
    await page.getByLabel('Name', { exact: true }).fill('a name changes nothing');
    await current('1 firing.');

    await page.getByLabel('Column of cpu').selectOption('idle');
    await outdated('measurements have');
    await value.fill('99');
    await outdated('rule and the measurements have');
    await tryIt();
    await current('It would have sent nothing.');
    await value.fill('85');
    await tryIt();
    await current('It would have sent nothing.');

    await choose(91);
    await outdated('measurements have');
    // An answer that comes after a change is of what was asked.
    const release = await holdRequests(page, '**/rules/backtest');
    await tryIt();
    await value.fill('95');
    release();
    await page.getByText('1 firing.').waitFor();
    await outdated('rule has');
  });
});
