import { expect } from 'chai';
import type { ApiClient } from '../../e2e/api-client.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  HOSTILE,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

describe('the page of refused measurements', () => {
  const browser = specBrowser();
  const open = scenes();

  const send = (api: ApiClient, tenant: string, ...ids: readonly string[]) =>
    api.call('POST', `/v1.0/${tenant}/notify`, {
      data: ids.map((id) => ({ id, type: 'host', cpuLoadPct: 1 })),
    });

  it('is where the overview leads to, which counts those of the last hour as they come', async () => {
    const { url, api } = await open.service();
    await api.call('GET', '/v1.0/demo');
    const page = await browser.open({ url });
    await page.goto('/console');
    const figure = page.getByRole('link', { name: 'Refused measurements' });
    const value = figure.locator('.figure-value');
    await expectTexts(value, ['0']);
    for (let i = 0; i < 3; i += 1) await send(api, 'demo', 'web-1', HOSTILE);
    await send(api, 'nobody', 'web-1');
    await expectTexts(value, ['4']);
    await figure.locator('.figure-value.warn').waitFor();
    await figure.click();
    await page.getByRole('heading', { name: 'Refused measurements' }).waitFor();
    const cells = (head: string) =>
      page.getByRole('table', { name: 'Refused measurements' }).locator(`td[data-head="${head}"]`);
    await expectTexts(cells('Status'), ['404', '200, in part']);
    await expectTexts(cells('Times'), ['1', '3']);
    await expectTexts(cells('Path'), ['/v1.0/nobody/notify', '/v1.0/demo/notify']);
    await expectTexts(cells('Tenant'), ['nobody', 'demo']);
    expect(await cells('Why').nth(1).innerText()).to.match(
      /^1 element refused: data\[1\]\.id: must be .* not "a U\+202Egnp\.exe <img src=x/,
    );
    await expectNoAxeViolations(page);

    // What comes now is shown without a reload.
    await send(api, 'demo');
    await expectTexts(cells('Status'), ['400', '404', '200, in part']);
    await cells('Tenant').getByRole('link', { name: 'nobody' }).click();
    await expectTexts(cells('Status'), ['404']);
    await page.getByLabel('Tenant id or name').fill('else');
    await page.getByRole('link', { name: 'Show those of all tenants' }).click();
    await expectTexts(cells('Status'), ['400', '404', '200, in part']);
  });

  it('is readable on a narrow screen, dark, and empty', async () => {
    const { url, api } = await open.service();
    const page = await browser.open({ url, size: NARROW, scheme: 'dark' });
    await page.goto('/console/refusals');
    await page.getByText('No measurement was refused.').waitFor();
    await expectNoAxeViolations(page);
    await send(api, 'x'.repeat(200), 'web-1');
    await page.getByText('404').waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });

  it('is not there for tenants, who see no count of it either', async () => {
    const { url } = await open.service();
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console');
    await page.getByRole('link', { name: 'Dead letters' }).waitFor();
    expect(await page.getByText('Refused measurements').count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'Refusals' }).count()).to.equal(0);
    await page.goto('/console/refusals');
    await page
      .getByRole('heading', { name: 'Overview' })
      .or(page.getByText(/operator/i).first())
      .first()
      .waitFor();
    expect(await page.getByRole('heading', { name: 'Refused measurements' }).count()).to.equal(0);
  });
});
