import { expect } from 'chai';
import { addRule, ALWAYS, subscribe, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { series, writeBody } from '../../policy/sources/write-requests.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  HOSTILE,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

describe('the page of sources', () => {
  const browser = specBrowser();
  const open = scenes();

  it('shows to operators and tenants what was left out and why, and the server names the source', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await subscribe(api, 'web-1', await addRule(api, 'web-1', ALWAYS), 'http://127.0.0.1:9/hook');
    const page = await browser.open({ url, size: NARROW, scheme: 'dark' });
    await page.goto('/console/sources');
    await page.getByText('No source has sent anything to this node.').waitFor();
    await expectNoAxeViolations(page);

    const now = Date.now();
    const { status } = await fetch(`${url}/v1.0/demo/remote-write`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
      body: new Uint8Array(
        writeBody('prometheus.WriteRequest', [
          series('web-1', 'cpu', 95, now - 1),
          series('web-1', 'up', 1, now),
          series('web-1', HOSTILE, 2, now),
          series('web-1', 'mem', NaN, now),
        ]),
      ),
    });
    expect(status).to.equal(204);
    const cells = (table: string, head: string) =>
      page.getByRole('table', { name: table }).locator(`td[data-head="${head}"]`);
    // What came is shown without a reload.
    await expectTexts(cells('Sources', 'Source'), ['Prometheus remote write']);
    await expectTexts(cells('Sources', 'Values'), ['1']);
    await expectTexts(cells('Sources', 'Left out'), ['3']);
    await expectTexts(cells('Left out', 'Why'), [
      'The service has no metric of this name. The setting METRICS adds metrics.',
      'It is not a number.',
    ]);
    await expectTexts(cells('Left out', 'Values'), ['2', '1']);
    expect(await cells('Left out', 'Metric').first().innerText()).to.match(/^a U\+202Egnp\.exe <img src=x/);
    await expectTexts(cells('Sources', 'Tenant'), ['demo']);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);

    const own = await browser.open({ url });
    await logInAsTenant(own);
    await own.goto('/console/sources');
    await own.getByRole('cell', { name: 'It is not a number.' }).waitFor();
    expect(await own.locator('td[data-head="Tenant"]').count()).to.equal(0);
    await expectNoAxeViolations(own);
    await own.goto('/console/servers?query=web-1');
    await own.getByRole('link', { name: 'web-1', exact: true }).click();
    await own.getByText(/, from Prometheus remote write$/).waitFor();
    await own.getByRole('cell', { name: '1 from Prometheus remote write' }).waitFor();
  });
});
