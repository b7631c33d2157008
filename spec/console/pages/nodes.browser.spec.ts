import { expect } from 'chai';
import { scenes } from '../../e2e/scene.js';
import { expectNoAxeViolations, expectTexts, navigationLink, specBrowser } from '../browser.js';

describe('the page of nodes', () => {
  const browser = specBrowser();
  const open = scenes();

  it('lists the nodes that live, the newest first, and those that have ended', async () => {
    const DATA_DIR = await open.folder();
    const before = await open.service({ DATA_DIR });
    await before.close();
    // A node counts as ended 10 s after its last write. The clock of the second life is an hour ahead.
    const hour = 3_600_000;
    const later = await open.service({ DATA_DIR }, () => Date.now() + hour);
    const page = await browser.open({ url: later.url });
    await page.goto('/console/nodes');
    const cells = (head: string) =>
      page.getByRole('table', { name: 'Nodes' }).locator(`td[data-head="${head}"]`);
    await expectTexts(cells('State'), ['live', 'ended']);
    const addressOf = ({ url }: { readonly url: string }): string => new URL(url).host;
    await expectTexts(cells('Address'), [addressOf(later), addressOf(before)]);
    await expectNoAxeViolations(page);
    expect(await navigationLink(page, 'Nodes').count()).to.equal(1);
  });
});
