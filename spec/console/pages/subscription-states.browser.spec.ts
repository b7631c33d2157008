import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { FleetView } from '../../../src/policy/fleet/shapes.js';
import { type ApiClient, request } from '../../e2e/api-client.js';
import { addSubscribedRule, cpu, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  NARROW,
  specBrowser,
} from '../browser.js';

const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

describe('the states of subscriptions on the page of a server', () => {
  const browser = specBrowser();
  const open = scenes();

  async function openServer(url: string, server: string): Promise<Page> {
    const path = `${url}/console/api/servers?query=${server}`;
    const { servers } = okBody(await request(path, 'GET')) as unknown as FleetView;
    const page = await browser.open({ url, size: NARROW });
    await page.goto(`/console/servers/${servers[0]!.tenantId}/${server}`);
    await page.locator('.connection.live').waitFor();
    return page;
  }
  const explained = async (api: ApiClient, ruleId: string) => {
    const body = okBody(await api.call('GET', `/v1.0/demo/servers/web-1/rules/${ruleId}/explain`));
    return body as unknown as { readonly subscriptions: readonly { readonly sentence: string }[] };
  };
  const row = (page: Page, text: string | RegExp) => page.locator('.subscription .why', { hasText: text });

  it('are pending with the time that is left, then calm, with the row in the history', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const rule = { ...BUSY, for: 3_600, repeat: 0, resolve: true };
    const { ruleId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', rule);
    const page = await openServer(url, 'web-1');
    await row(page, 'filling').waitFor();
    await page.getByText('fires after 1 h, not repeated, notifies when resolved').waitFor();
    await cpu(api, 'web-1', 90);
    await row(page, 'pending').waitFor();
    const [subscription] = (await explained(api, ruleId)).subscriptions;
    expect(subscription!.sentence).to.include('fires when it has held for 3600 s');
    await expectTexts(page.locator('.sentence'), [subscription!.sentence]);
    await page.locator('.details div', { hasText: /^fires\s*in (59|60) min|^fires\s*in 1 h/ }).waitFor();
    await page.locator('.details div', { hasText: /^holds for/ }).waitFor();
    await page.getByRole('row', { name: 'filling to pending' }).waitFor();
    const states = page.getByLabel('States of the subscriptions');
    await states.locator('div', { hasText: /^pending\s*1/ }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);

    await cpu(api, 'web-1', 10);
    await row(page, 'calm').waitFor();
    await page.getByRole('row', { name: 'pending to calm' }).waitFor();
    await states.locator('div', { hasText: /^calm\s*1/ }).waitFor();
    expect(await page.locator('.details div', { hasText: /^fires\s*in/ }).count()).to.equal(0);
  });

  it('show that there is no data, without a reload, and that there is data again', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const taken = await open.receiver((response) => response.writeHead(204).end());
    await addSubscribedRule(api, 'web-1', taken.origin, { ...BUSY, noData: 10 });
    const page = await openServer(url, 'web-1');
    await row(page, 'filling').waitFor();
    await cpu(api, 'web-1', 10);
    await row(page, 'No data: the last measurement came at').waitFor();
    await page.getByRole('row', { name: 'calm to no data' }).waitFor();
    await page.locator('.details div', { hasText: /^no data for/ }).waitFor();
    await expectNoAxeViolations(page);
    // No event says that time goes on.
    await row(page, / (1[6-9]|[2-9]\d) s ago\.$/).waitFor();
    await cpu(api, 'web-1', 90);
    await row(page, 'firing').waitFor();
    await page.getByRole('row', { name: 'no data to firing' }).waitFor();
  });

  it('say that the receiver refused, and how many messages were not sent', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const gone = await open.receiver((response) => response.writeHead(410).end());
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', gone.origin, BUSY);
    await cpu(api, 'web-1', 90);
    const path = `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`;
    await eventually(
      async () => 'suspended' in okBody(await api.call('GET', path)) || undefined,
      SOON_MS,
      () => 'the subscription is not suspended',
    );
    const page = await openServer(url, 'web-1');
    await row(page, 'Suspended since').waitFor();
    await page
      .locator('.details div', { hasText: /^suspended.* ends when this url is subscribed again$/ })
      .waitFor();
    await cpu(api, 'web-1', 90);
    await page.locator('.details div', { hasText: /^not sent\s*1/ }).waitFor();
    await expectNoAxeViolations(page);
  });
});
