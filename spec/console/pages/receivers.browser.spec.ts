import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { ApiClient } from '../../e2e/api-client.js';
import { addSubscribedRule, ALWAYS, arrived, cpu, windowSize } from '../../e2e/policy/actions.js';
import { deliveries, delivery } from '../../e2e/policy/deliveries.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

const WIDE: readonly [number, number] = [1440, 900];

describe('the pages of receivers', () => {
  const browser = specBrowser();
  const open = scenes();

  const cells = (page: Page, head: string): Locator =>
    page.getByRole('table', { name: 'Deliveries' }).locator(`td[data-head="${head}"]`);
  const detail = (page: Page, name: string): Locator =>
    page.locator('dl.detail-list > div', { hasText: name }).locator('dd').first();

  /** A service with a receiver that answers as `status` says, and web-1 that has fired to it. */
  async function failing(status: { now: number }, count = 1) {
    const { url, api } = await open.service();
    const receiver = await open.receiver((response: ServerResponse) =>
      response.writeHead(status.now, { 'retry-after': '60' }).end(status.now === 503 ? 'closed today' : ''),
    );
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', `${receiver.origin}/hook`);
    for (let i = 0; i < count; i += 1) await cpu(api, 'web-1', 90);
    return { url, api, receiver };
  }

  /** Waits until the service knows the answers to all messages: one that is under way is not tried once more. */
  const untilTried = (api: ApiClient, count = 1): Promise<true> =>
    eventually(
      async () => {
        const tried = (await deliveries(api)).filter(({ attempts }) => attempts.length > 0);
        return tried.length === count || undefined;
      },
      SOON_MS,
      () => `${count} messages were not tried`,
    );

  it('are three clicks from the overview to "delivered"', async () => {
    const status = { now: 503 };
    const { url, api } = await failing(status);
    await untilTried(api);
    const page = await browser.open({ url, size: WIDE });
    await page.goto('/console');
    let clicks = 0;
    const click = async (element: Locator): Promise<void> => {
      clicks += 1;
      await element.click();
    };
    // In trouble from its first failed try.
    await page.getByRole('heading', { name: 'Receivers in trouble' }).waitFor();
    status.now = 200;
    await click(page.getByRole('link', { name: '/hook' }));
    await click(page.getByRole('button', { name: 'Try now', exact: true }));
    await detail(page, 'State').locator('.badge', { hasText: 'ok' }).waitFor();
    await expectTexts(cells(page, 'State'), ['delivered']);
    expect(clicks).to.be.at.most(3);
  });

  it('are in trouble from the first failed try, and show what waits and when it is tried', async () => {
    const { url, api } = await failing({ now: 503 }, 2);
    const page = await browser.open({ url, size: WIDE });
    await page.goto('/console/receivers');
    const row = page.getByRole('table', { name: 'Receivers' }).locator('tbody tr');
    await row.locator('.badge', { hasText: 'failing' }).waitFor();
    await row.getByText('closed today').waitFor();
    await expectTexts(row.locator('td[data-head="Waiting"]'), ['2']);
    await expectTexts(row.locator('td[data-head="Dead letters"]'), ['0']);
    await row.locator('td[data-head="Next try"] time').waitFor();
    await expectNoAxeViolations(page);
    await expectNoSidewaysScroll(page);
    await row.getByRole('link', { name: '/hook' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('2 messages wait.').waitFor();
    await page.getByRole('link', { name: 'webhook: always, firing' }).first().waitFor();
    await expectNoAxeViolations(page);
    const [first] = await deliveries(api);
    expect(first!.state).to.equal('pending');
  });

  it('say on the overview and on their page how a suspension ends', async () => {
    const { url } = await failing({ now: 410 });
    const page = await browser.open({ url, size: WIDE });
    await page.goto('/console');
    await page
      .getByText('A subscription to it is suspended until the tenant subscribes this URL again.')
      .waitFor();
    await page.getByRole('link', { name: '/hook' }).click();
    await page.getByText(/it answered 410, .* until the tenant subscribes this URL again\./).waitFor();
    await expectNoAxeViolations(page);
  });

  it('discard and try single messages, and the rows follow', async () => {
    const status = { now: 503 };
    const { url, api } = await failing(status, 2);
    await untilTried(api, 2);
    const page = await browser.open({ url, size: WIDE });
    await page.goto('/console/receivers');
    await page.getByRole('link', { name: '/hook' }).click();
    await page.getByLabel('State').selectOption('pending');
    await expectTexts(cells(page, 'State'), ['pending', 'pending']);
    await page.getByRole('button', { name: 'Discard' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('The message is discarded.').waitFor();
    await expectTexts(cells(page, 'State'), ['pending']);
    status.now = 200;
    await page.getByRole('button', { name: 'Try now webhook: always, firing, of web-1' }).click();
    await page.getByText('No such deliveries.').waitFor();
    await delivery(api, ({ state }) => state === 'delivered');
    expect(await deliveries(api)).to.have.length(1);
  });

  it('redeliver all dead letters, whose rows leave the list under the pointer', async () => {
    const status = { now: 400 };
    const { url, api } = await failing(status, 3);
    await delivery(api, ({ state }) => state === 'dead');
    const page = await browser.open({ url, size: WIDE });
    await page.goto('/console/receivers');
    await page.getByRole('link', { name: '/hook' }).click();
    await page.getByLabel('State').selectOption('dead');
    await expectTexts(cells(page, 'State'), ['dead', 'dead', 'dead']);
    await page.getByRole('button', { name: 'Redeliver 3 dead letters' }).waitFor();
    // Somebody who works in the list keeps it still.
    await page.getByRole('button', { name: 'Redeliver webhook' }).first().focus();
    status.now = 200;
    await page.getByRole('button', { name: 'Redeliver 3 dead letters' }).dispatchEvent('click');
    await page.getByText('3 dead letters are sent again.').waitFor();
    await page.getByText('No such deliveries.').waitFor();
    await detail(page, 'State').locator('.badge', { hasText: 'ok' }).waitFor();
    await page.getByLabel('State').selectOption('delivered');
    await expectTexts(cells(page, 'State'), ['delivered', 'delivered', 'delivered']);
  });

  it('send a test, and say what the receiver answered', async () => {
    const status = { now: 200 };
    const { url, api, receiver } = await failing(status);
    await delivery(api, ({ state }) => state === 'delivered');
    const page = await browser.open({ url, size: WIDE });
    await page.goto('/console/receivers');
    await page.getByRole('link', { name: '/hook' }).click();
    status.now = 503;
    await page.getByRole('button', { name: 'Send a test' }).click();
    const dialog = page.getByRole('dialog', { name: 'The answer to the test message' });
    await dialog.getByText(/^503 in \d+ ms: closed today$/).waitFor();
    await expectNoAxeViolations(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(JSON.parse(receiver.got.at(-1)!.body)).to.include({ type: 'test' });
    await detail(page, 'State').locator('.badge', { hasText: 'ok' }).waitFor();
    await page.getByRole('button', { name: 'Resend webhook: always, firing, of web-1' }).click();
    await arrived(receiver, 3);
    expect(receiver.got[2]!.headers['webhook-id']).to.equal(receiver.got[0]!.headers['webhook-id']);
  });

  it('name messages by their state, and find them by their answer', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver((response, { body }) =>
      response.writeHead(body.includes('"resolved"') ? 422 : 200).end(),
    );
    await windowSize(api, 1);
    const rule = {
      ...ALWAYS,
      name: 'hot',
      condition: { cpu: { value: 50, operand: 'greater' } },
      resolve: true,
    };
    await addSubscribedRule(api, 'web-1', receiver.origin, rule);
    await cpu(api, 'web-1', 90);
    await cpu(api, 'web-1', 10);
    await delivery(api, ({ state }) => state === 'dead');
    const page = await browser.open({ url, size: WIDE });
    await page.goto('/console/deliveries');
    await page.getByRole('link', { name: 'webhook: hot, firing' }).waitFor();
    await page.getByRole('link', { name: 'webhook: hot, resolved' }).waitFor();
    await page.getByLabel('Last answer').fill('422');
    await expectTexts(cells(page, 'State'), ['dead']);
  });

  it('are a tenant’s own, at 380 px too', async () => {
    const status = { now: 503 };
    const { url, api } = await failing(status);
    await untilTried(api);
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await page.goto('/console/receivers');
    await page.getByRole('link', { name: '/hook' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.getByRole('link', { name: '/hook' }).click();
    await page.getByText('1 message waits.').waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    status.now = 200;
    await page.getByRole('button', { name: 'Try now', exact: true }).click();
    await expectTexts(cells(page, 'State'), ['delivered']);
  });
});
