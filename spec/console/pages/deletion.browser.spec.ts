import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { apiClient } from '../../e2e/api-client.js';
import { addSubscribedRule, cpu, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  logInAsTenant,
  NARROW,
  navigationLink,
  specBrowser,
} from '../browser.js';

const TOKEN = 'operator-token-of-more-than-32-characters';
const USERS = { IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' };

describe('the deletion in the console', () => {
  const browser = specBrowser();
  const open = scenes();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('of a server is asked for, and leads to the list of servers', async () => {
    const { url, api } = await open.service({ OPERATOR_TOKEN: TOKEN });
    await windowSize(api, 1);
    for (const server of ['web-1', 'web-2']) {
      await addSubscribedRule(api, server, 'http://127.0.0.1:9/x');
      await cpu(api, server, 90);
    }
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await navigationLink(page, 'Servers').click();
    await page.getByRole('link', { name: 'web-1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this server?' });

    await button(page, 'Delete server').click();
    await dialog.waitFor();
    await expectNoAxeViolations(page);
    await button(page, 'Cancel').click();
    // The dialog has a button of this name too.
    await dialog.waitFor({ state: 'hidden' });
    expect((await api.call('GET', '/v1.0/demo/servers/web-1')).status).to.equal(200);

    await button(page, 'Delete server').click();
    await dialog.getByRole('button', { name: 'Delete server' }).click();
    await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
    expect((await api.call('GET', '/v1.0/demo/servers/web-1')).status).to.equal(404);
    expect((await api.call('GET', '/v1.0/demo/servers/web-2')).status).to.equal(200);
    await expectTexts(page.locator('main table td[data-head="Server"]'), ['web-2']);
  });

  it('of a tenant is asked for twice: the second answer is its name', async () => {
    const { url, api } = await open.service(USERS);
    const other = await apiClient(url, 'other', 'olga', 'pass');
    okBody(await other.call('GET', '/v1.0/other'));
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/x');
    await cpu(api, 'web-1', 90);
    const page = await browser.open({ url, size: NARROW });
    await page.goto('/console/tenants');
    const row = page.getByRole('row').filter({ hasText: 'demo' });
    const cell = (head: string) => row.locator(`td[data-head="${head}"]`);
    for (const [head, text] of [
      ['Servers', '1'],
      ['Subscriptions', '1'],
      ['Firing', '1'],
    ] as const)
      await expectTexts(cell(head), [text]);
    await expectNoAxeViolations(page);
    await expectNoSidewaysScroll(page);

    await button(page, 'Delete demo').click();
    await page.getByRole('dialog', { name: 'Delete this tenant?' }).waitFor();
    await button(page, 'Go on').click();
    await page.getByRole('dialog', { name: 'Type its name to delete it' }).waitFor();
    await expectNoAxeViolations(page);
    await button(page, 'Delete tenant').click();
    await page.getByText('This is not the name of the tenant.').waitFor();
    await page.getByLabel('Name of the tenant').fill('other');
    await button(page, 'Delete tenant').click();
    await page.getByText('This is not the name of the tenant.').waitFor();
    expect((await api.call('GET', '/v1.0/demo')).status).to.equal(200);

    await page.getByLabel('Name of the tenant').fill('demo');
    await button(page, 'Delete tenant').click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'other' }).waitFor();
    await eventually(
      async () => (await api.call('GET', '/v1.0/demo')).status === 200 || undefined,
      SOON_MS,
      () => 'the tenant is not known anew',
    );
    expect(okBody(await api.call('GET', '/v1.0/demo/servers'))['servers']).to.deep.equal([]);
  });

  it('of tenants is not a page of a tenant', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await navigationLink(page, 'Servers').waitFor();
    expect(await page.getByRole('link', { name: 'Tenants', exact: true }).count()).to.equal(0);
  });
});
