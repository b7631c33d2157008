import { expect } from 'chai';
import { apiClient } from '../e2e/api-client.js';
import { addSubscribedRule, cpu, factsBody, okBody, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsTenant,
  NARROW,
  specBrowser,
} from './browser.js';
import { copyServer } from './many-servers.js';

describe('the console’s page of servers', function () {
  this.timeout(60_000);
  const browser = specBrowser();
  const open = scenes();

  it('finds one among 10,000 by the keyboard, and leads to it and back', async () => {
    const folder = await open.folder();
    const first = await open.service({ DATA_DIR: folder });
    await windowSize(first.api, 1);
    await cpu(first.api, 'first', 1);
    await first.close();
    await copyServer(
      folder,
      'first',
      Array.from({ length: 10_000 }, (_, i) => `web-${String(i).padStart(5, '0')}`),
    );
    const { url } = await open.service({ DATA_DIR: folder });
    const page = await browser.open({ url });
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'first', exact: true }).waitFor();
    expect(await page.getByRole('row').count()).to.equal(51);
    await page.getByRole('button', { name: 'unwatched 10,001' }).waitFor();

    await page.getByLabel('Search by a part of the id').focus();
    await page.keyboard.type('WEB-0777');
    const found = page.getByRole('link', { name: 'web-07777' });
    await found.waitFor();
    await page.getByRole('row').nth(11).waitFor({ state: 'detached' });
    expect(await page.getByRole('row').count()).to.equal(11);
    expect(new URL(page.url()).search).to.equal('?query=WEB-0777');
    await expectNoAxeViolations(page);
    await found.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'web-07777' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'web-07770' }).waitFor();
    expect(await page.getByLabel('Search by a part of the id').inputValue()).to.equal('WEB-0777');
  });

  it('filters by state, in which a server appears when it changes', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await cpu(api, 'idle', 1);
    await addSubscribedRule(api, 'hot', 'http://127.0.0.1:9/');
    const page = await browser.open({ url });
    await page.goto('/console/servers');
    await page.getByRole('button', { name: 'firing 0' }).click();
    await page.getByText('No such server').waitFor();
    await expectNoAxeViolations(page);
    await cpu(api, 'hot', 99);
    await page.getByRole('link', { name: 'hot' }).waitFor();
    await page.getByRole('button', { name: 'firing 1' }).waitFor();
    expect(await page.getByRole('link', { name: 'idle' }).count()).to.equal(0);
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByRole('link', { name: 'idle' }).waitFor();
  });

  it('filters by the name of a tenant', async () => {
    const { url, api } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const other = await apiClient(url, 'other', 'olga', 'pass');
    okBody(await other.call('GET', '/v1.0/other'));
    await windowSize(api, 1);
    await cpu(api, 'web-1', 1);
    okBody(await other.call('POST', '/other/servers/web-2', factsBody({ cpuLoadPct: '1' })));
    const page = await browser.open({ url });
    await page.goto('/console/servers');
    const filter = page.getByLabel('Tenant id or name');
    await filter.fill('other');
    await page.getByRole('link', { name: 'web-1' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'web-2' }).waitFor();
    expect(await filter.inputValue()).to.equal('other');
    await page.getByRole('cell', { name: 'other' }).waitFor();
  });

  it('walks the pages', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    for (let i = 10; i < 65; i += 1) await cpu(api, `web-${i}`, 1);
    const page = await browser.open({ url });
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'web-10' }).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'web-64' }).waitFor();
    expect(await page.getByRole('row').count()).to.equal(6);
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByRole('link', { name: 'web-10' }).waitFor();
  });

  it('shows a tenant its own servers, at 380 px without horizontal scroll', async () => {
    const { url, api } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    await windowSize(api, 1);
    await cpu(api, `a-long-name.${'0123456789'.repeat(20)}`, 1);
    const page = await browser.open({ url, size: NARROW });
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'a-long-name' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.setViewportSize({ width: 1280, height: 860 });
    await logInAsTenant(page, { tenant: 'other', user: 'olga', password: 'pass' });
    await page.goto('/console/servers');
    await page.getByText('No servers yet').waitFor();
    expect(await page.getByLabel('Tenant id').count()).to.equal(0);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await expectNoSidewaysScroll(page);
  });
});
