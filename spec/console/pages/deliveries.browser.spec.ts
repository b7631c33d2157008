import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { addSubscribedRule, ALWAYS, arrived, cpu, windowSize } from '../../e2e/policy/actions.js';
import type { ApiClient } from '../../e2e/api-client.js';
import { deliveries, delivery } from '../../e2e/policy/deliveries.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectCount,
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  HOSTILE,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

describe('the pages of deliveries', () => {
  const browser = specBrowser();
  const open = scenes();

  const cells = (page: Page, head: string): Locator =>
    page.getByRole('table', { name: 'Deliveries' }).locator(`td[data-head="${head}"]`);

  async function fire(api: ApiClient, server: string, count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) await cpu(api, server, 90);
  }

  it('show a dead letter that is sent again and delivered, without a reload', async () => {
    const { url, api } = await open.service();
    const held: ServerResponse[] = [];
    let answers = false;
    // A message whose answer takes too long is tried again.
    const receiver = await open.receiver((response) => {
      if (receiver.got.length === 1) response.writeHead(400).end('not today');
      else if (answers) response.end();
      else held.push(response);
    });
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', `${receiver.origin}/hook`);
    await fire(api, 'web-1', 1);
    await delivery(api, ({ state }) => state === 'dead');

    const page = await browser.open({ url });
    await page.goto('/console/deliveries?state=dead');
    await page.getByRole('link', { name: 'webhook: always' }).click();
    await page.getByRole('heading', { name: 'webhook: always' }).waitFor();
    const attempts = page.getByRole('table', { name: 'Attempts' });
    await attempts.getByText(/^400 in \d+ ms: not today$/).waitFor();
    expect(await page.getByRole('region', { name: 'Body of the message' }).innerText()).to.include(
      '"serverId": "web-1"',
    );
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.locator('dd .badge', { hasText: 'pending' }).waitFor();
    await arrived(receiver, 2);
    answers = true;
    for (const response of held) response.end();
    await page.locator('dd .badge', { hasText: 'delivered' }).waitFor();
    await attempts.getByText(/^200 in/).waitFor();
    await expectCount(attempts.locator('tbody tr'), receiver.got.length);
    expect(await page.getByRole('button', { name: 'Redeliver' }).count()).to.equal(0);
  });

  it('lead from a message to the one that it waits for', async () => {
    const { url, api } = await open.service();
    const held: ServerResponse[] = [];
    let answers = false;
    // A message whose answer takes too long is tried again.
    const receiver = await open.receiver((response) => (answers ? response.end() : held.push(response)));
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin, { ...ALWAYS, name: 'stated', resolve: true });
    await fire(api, 'web-1', 2);
    const { id, waitsFor } = await delivery(api, (one) => one.waitsFor !== null);
    const page = await browser.open({ url });
    await page.goto(`/console/deliveries/${id}`);
    await page.getByText('None yet: an earlier message of its subscription is not delivered yet').waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('link', { name: waitsFor! }).click();
    await page.waitForURL(`**/console/deliveries/${waitsFor}`);
    answers = true;
    for (const response of held) response.end();
    await page.locator('dd .badge', { hasText: 'delivered' }).waitFor();
    await page.goto(`/console/deliveries/${id}`);
    await page.locator('dd .badge', { hasText: 'delivered' }).waitFor();
    expect(await page.getByText('Waits for').count()).to.equal(0);
  });

  it('discard a dead letter after a question', async () => {
    const { url, api } = await open.service();
    const refusing = await open.receiver((response) => response.writeHead(400).end());
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', refusing.origin);
    await fire(api, 'web-1', 1);
    const { id } = await delivery(api, ({ state }) => state === 'dead');
    const page = await browser.open({ url });
    await page.goto(`/console/deliveries/${id}`);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expectNoAxeViolations(page);
    await page.keyboard.press('Escape');
    // The dialog has a button of this name too.
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await deliveries(api)).to.have.length(1);
    await page.getByRole('button', { name: 'Discard' }).click();
    // Its event comes too, and the page may read the message again before it has the answer.
    browser.expectError(new RegExp(`404 .*/console/api/deliveries/${id}\\)$`));
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Nothing has been sent yet.').waitFor();
    expect(await deliveries(api)).to.deep.equal([]);
  });

  it('put new ones on top, but not under the pointer', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    await fire(api, 'web-1', 1);
    const page = await browser.open({ url });
    await page.goto('/console/deliveries');
    const table = page.getByRole('table', { name: 'Deliveries' });
    const rows = table.locator('tbody tr');
    await rows.first().waitFor();
    await fire(api, 'web-1', 1);
    await rows.nth(1).waitFor();
    await rows.nth(1).hover();
    const before = await table.getByRole('link', { name: 'webhook' }).first().getAttribute('href');
    await fire(api, 'web-1', 3);
    await page.getByRole('button', { name: '3 new' }).waitFor();
    expect(await rows.count()).to.equal(2);
    expect(await table.getByRole('link', { name: 'webhook' }).first().getAttribute('href')).to.equal(before);
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: '3 new' }).click();
    await rows.nth(4).waitFor();
    const hrefs = await table
      .getByRole('link', { name: 'webhook' })
      .evaluateAll((links) => links.map(String));
    expect(hrefs).to.deep.equal(hrefs.toSorted().toReversed());
    expect(hrefs[3]).to.include(before);
  });

  it('are filtered and paged by their address', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    const refusing = await open.receiver((response) => response.writeHead(400).end());
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin);
    await addSubscribedRule(api, 'web-2', refusing.origin);
    await fire(api, 'web-1', 55);
    await fire(api, 'web-2', 2);
    await delivery(api, ({ state }) => state === 'dead');
    const page = await browser.open({ url });
    await page.goto('/console/deliveries?server=web-1');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL(/before=/);
    await expectTexts(cells(page, 'Server'), Array<string>(5).fill('web-1'));
    await page.goBack();
    await page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr').nth(49).waitFor();
    await page.getByLabel('Server').fill('web-2');
    await page.waitForURL(
      (at) => at.searchParams.get('server') === 'web-2' && !at.searchParams.has('before'),
    );
    await page
      .getByRole('table', { name: 'Deliveries' })
      .locator('tbody tr')
      .nth(2)
      .waitFor({ state: 'detached' });
    await page.getByLabel('State').selectOption('delivered');
    await page.getByText('No such deliveries.').waitFor();
  });

  it('show names, texts and answers of others as text, at 380 px too', async () => {
    const { url, api } = await open.service();
    const refusing = await open.receiver((response) => response.writeHead(400).end(HOSTILE));
    await windowSize(api, 1);
    const body = `<script>document.title = 1</script>${'long '.repeat(2_000)}`;
    const action = { actionName: 'notify-email', email: 'ops@example.org', body };
    await addSubscribedRule(api, 'web-1', `${refusing.origin}/${'x'.repeat(1_900)}`, {
      ...ALWAYS,
      name: HOSTILE,
      action,
    });
    await fire(api, 'web-1', 1);
    const dead = await delivery(api, ({ state }) => state === 'dead');
    const mail = await delivery(api, ({ channel }) => channel === 'email');
    const page = await browser.open({ url, size: NARROW });
    const escaped = HOSTILE.replace('\u202E', 'U+202E');
    await page.goto('/console/deliveries');
    await page.getByText(`webhook: ${escaped}`).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    for (const { id } of [dead, mail]) {
      await page.goto(`/console/deliveries/${id}`);
      await page.getByRole('heading', { level: 1 }).getByText('gnp.exe').waitFor();
      expect(await page.getByRole('heading', { level: 1 }).innerText()).to.include(escaped);
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
      expect(await page.locator('main img, main script').count()).to.equal(0);
      expect(await page.title()).to.match(/^(\(\d\) )?Delivery · Mirzam$/);
    }
    await page.getByRole('button', { name: /show all [\d,]+ characters/ }).click();
    await page.getByText(body.trim().slice(-200)).waitFor();
  });

  it('show a tenant its own, which it may redeliver', async () => {
    const { url, api } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const refusing = await open.receiver((response) => response.writeHead(400).end());
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', refusing.origin);
    await fire(api, 'web-1', 1);
    const { id } = await delivery(api, ({ state }) => state === 'dead');
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/deliveries');
    await page.getByRole('link', { name: 'webhook: always' }).click();
    await page.getByRole('table', { name: 'Attempts' }).waitFor();
    await page.getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('The message is sent again.').waitFor();
    await arrived(refusing, 2);

    const stranger = await browser.open({ url });
    await logInAsTenant(stranger, { tenant: 'other', user: 'olga', password: 'pass' });
    await stranger.goto('/console/deliveries');
    await stranger.getByText('Nothing has been sent yet.').waitFor();
    browser.expectError(/404/);
    await stranger.goto(`/console/deliveries/${id}`);
    await stranger.getByText(`id: no delivery "${id}"`).waitFor();
    await expectNoAxeViolations(stranger);
  });
});
