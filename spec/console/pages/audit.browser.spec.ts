import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { addGeneric, ALWAYS, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

describe('the page of the audit', () => {
  const browser = specBrowser();
  const open = scenes();

  it('shows an operator who changed what, filtered and in pages, with the members that differ', async () => {
    const { url, api } = await open.service();
    for (let size = 1; size <= 51; size += 1) await windowSize(api, size);
    const rule = await addGeneric(api);
    okBody(await api.call('PUT', `/v1.0/demo/rules/${rule}`, { for: 60 }));
    const page = await browser.open({ url });
    await page.goto('/console/audit');
    const cells = (head: string) =>
      page.getByRole('table', { name: 'Changes' }).locator(`td[data-head="${head}"]`);
    await cells('What').nth(49).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await expectTexts(cells('What'), ['change', 'change', 'change']);
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByLabel('Who or target').fill(rule);
    await expectTexts(cells('What'), ['change', 'create']);
    await expectTexts(cells('Who'), ['demo', 'demo']);
    await expectTexts(cells('By'), ['api', 'api']);
    await expectTexts(cells('Before and after').first().locator('ins'), ['60']);
    await expectNoAxeViolations(page);
    await page.getByLabel('What').selectOption('create');
    await expectTexts(cells('What'), ['create']);

    // The export is a file.
    await page.goto('/console/tenants');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export all' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1)!)).to.deep.equal({ end: lines.length - 2 });
  });

  it('shows a tenant its own, on a narrow screen and dark', async () => {
    const { url, api } = await open.service();
    const page = await browser.open({ url, scheme: 'dark' });
    await logInAsTenant(page);
    const [width, height] = NARROW;
    await page.setViewportSize({ width, height });
    await page.goto('/console/audit');
    await page.getByText('No changes yet.').waitFor();
    await addGeneric(api, { ...ALWAYS, name: 'n'.repeat(200) });
    await page.getByRole('cell', { name: 'create' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });
});
