import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { FleetView } from '../../src/policy/fleet/shapes.js';
import { type ApiClient, request } from '../e2e/api-client.js';
import { addRule, addSubscribedRule, cpu, okBody, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  logInAsTenant,
  NARROW,
  specBrowser,
} from './browser.js';

const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

describe('the console’s page of a server', () => {
  const browser = specBrowser();
  const open = scenes();

  /** Opens the page of a server, and waits until it is live. */
  const openServer = async (page: Page, url: string, server: string): Promise<void> => {
    const found = okBody(
      await request(`${url}/console/api/servers?query=${server}`, 'GET'),
    ) as unknown as FleetView;
    await page.goto(`/console/servers/${found.servers[0]!.tenantId}/${server}`);
    await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
    await page.locator('.connection.live').waitFor();
  };
  const explained = async (api: ApiClient, server: string, ruleId: string): Promise<string> => {
    const body = okBody(await api.call('GET', `/v1.0/demo/servers/${server}/rules/${ruleId}/explain`));
    const { subscriptions, sentence } = body as unknown as {
      subscriptions: readonly { sentence: string }[];
      sentence?: string;
    };
    return sentence ?? subscriptions[0]!.sentence;
  };
  const sentences = (page: Page): Locator => page.locator('.sentence');
  /** Waits until the page shows one sentence, and expects that it is explain's. */
  const expectExplained = async (
    page: Page,
    api: ApiClient,
    server: string,
    ruleId: string,
    start: string,
  ) => {
    await page.locator('.sentence', { hasText: start }).waitFor();
    await expectTexts(sentences(page), [await explained(api, server, ruleId)]);
  };

  it('says with explain’s sentence why a rule does not fire, then that it fires, without a reload', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 2);
    await cpu(api, 'web-1', 10);
    const { ruleId, subscriptionId } = await addSubscribedRule(api, 'web-1', receiver.origin, BUSY);
    const page = await browser.open({ url });
    await openServer(page, url, 'web-1');
    await expectExplained(
      page,
      api,
      'web-1',
      ruleId,
      'Not evaluated: the window of cpu holds 1 of 2 values.',
    );
    await page.getByText('Nothing has changed yet').waitFor();
    await page.getByRole('img', { name: 'in the state filling' }).waitFor();

    await cpu(api, 'web-1', 20.5);
    await expectExplained(
      page,
      api,
      'web-1',
      ruleId,
      'Does not hold: the mean of cpu is 15.25, not greater than 85.',
    );
    await page.getByRole('img', { name: 'in the state calm' }).waitFor();
    await page.getByRole('row', { name: 'filling to calm' }).waitFor();
    await expectNoAxeViolations(page);

    for (const value of [90, 95]) await cpu(api, 'web-1', value);
    await expectExplained(page, api, 'web-1', ruleId, 'the mean of cpu is 92.5, greater than 85.');
    await page.getByRole('img', { name: 'in the state firing' }).waitFor();
    await page.getByRole('row', { name: 'calm to firing' }).waitFor();
    expect(await page.getByRole('row').count()).to.equal(3);
    await page.getByRole('link', { name: 'Delivery of the last firing: delivered' }).waitFor();
    const deliveries = page.getByRole('link', { name: 'deliveries', exact: true });
    expect(await deliveries.getAttribute('href')).to.equal(
      `/console/deliveries?subscription=${subscriptionId}`,
    );
    await expectNoAxeViolations(page);
  });

  it('shows what came between the first reading and the start of the event stream', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    await cpu(api, 'web-1', 10);
    const page = await browser.open({ url });
    const read = page.waitForResponse(/\/history/);
    // The stream is held up until the page was read and a fact has changed it.
    await page.route(/\/console\/api\/events/, async (route) => {
      await read;
      await cpu(api, 'web-1', 95);
      await route.continue();
    });
    await openServer(page, url, 'web-1');
    await page.getByRole('row', { name: 'calm to firing' }).waitFor();
  });

  it('moves the chart of a metric as facts come, and its table', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 4);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    for (const value of [1, 2, 3, 4]) await cpu(api, 'web-1', value);
    const page = await browser.open({ url });
    await openServer(page, url, 'web-1');
    const shows = (figures: string): Promise<void> =>
      page.getByRole('img', { name: `cpu, last hour: ${figures}` }).waitFor();
    const figures = (text: string): Promise<void> => page.getByText(text).waitFor();
    await shows('4 values from 1 to 4');
    await figures('mean of the window 2.5');
    const canvas = page.locator('.chart canvas');
    await canvas.waitFor();
    const drawn = await canvas.screenshot();
    for (const value of [40, 50, 60]) await cpu(api, 'web-1', value);
    await shows('7 values from 1 to 60');
    await figures('mean of the window 38.5');
    await figures('newest 60');
    await eventually(
      async () => !(await canvas.screenshot()).equals(drawn) || undefined,
      SOON_MS,
      () => 'the drawing did not change',
    );
    await page.getByRole('button', { name: 'cpu as a table' }).press('Enter');
    const table = page.getByRole('table', { name: 'Values of cpu' });
    await table.getByRole('cell', { name: '60', exact: true }).waitFor();
    await expectNoAxeViolations(page);
    await cpu(api, 'web-1', 70);
    await table.getByRole('cell', { name: '70', exact: true }).first().waitFor();
  });

  it('shows rules of which nothing is evaluated, and what others wrote as text', async () => {
    const { url, api } = await open.service();
    const name = '<img src=x onerror=alert(1)>\u202e<b>gnp</b> \u200f';
    await addRule(api, 'web-1', { ...BUSY, name });
    const page = await browser.open({ url, size: NARROW });
    page.on('dialog', () => expect.fail('a script of the rule’s name ran'));
    await openServer(page, url, 'web-1');
    await expectTexts(sentences(page), ['Not evaluated: no subscription of this server has this rule.']);
    const heading = page.getByRole('heading', { level: 3 }).first();
    expect(await heading.innerText()).to.equal('<img src=x onerror=alert(1)>U+202E<b>gnp</b> U+200F');
    expect(await page.locator('main img, main b').count()).to.equal(0);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });

  it('says that there is no server with an id of markup or of 10,000 characters', async () => {
    const { url } = await open.service();
    const page = await browser.open({ url, size: NARROW });
    browser.expectError(/404|431|414|400/);
    for (const id of ['<script>alert(1)</script>', 'x'.repeat(10_000)]) {
      await page.goto('/console/servers');
      await page.getByText('No servers yet').waitFor();
      await page.evaluate(
        `history.pushState(null, '', ${JSON.stringify(`/console/servers/t/${encodeURIComponent(id)}`)})`,
      );
      await page.evaluate('dispatchEvent(new PopStateEvent("popstate"))');
      await page.getByRole('alert').waitFor();
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
    }
  });

  it('lets a tenant make, subscribe to, change and delete a rule, and end a subscription', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await cpu(api, 'web-1', 10);
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await openServer(page, url, 'web-1');
    await page.getByText('No rule is used here').waitFor();
    await page.getByRole('button', { name: 'New rule' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('made here');
    await expectNoAxeViolations(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    const ruleId = await addRule(api, 'web-1', BUSY);
    await page.reload();
    await page.getByRole('button', { name: 'Subscribe to busy' }).click();
    await dialog.getByLabel('Url').fill('http://127.0.0.1:9/x');
    await dialog.getByRole('button', { name: /subscri/i }).click();
    await expectExplained(page, api, 'web-1', ruleId, 'Not evaluated: the windows are full');
    await page.getByRole('button', { name: 'End subscription' }).click();
    await dialog.getByRole('button', { name: 'End subscription' }).click();
    await expectExplained(page, api, 'web-1', ruleId, 'no subscription of this server');
    await page.getByRole('button', { name: 'Delete busy' }).click();
    await dialog.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByText('No rule is used here').waitFor();
    await expectNoAxeViolations(page);
  });

  it('is led to by the demo, which fires there', async () => {
    const { url } = await open.service();
    const page = await browser.open({ url });
    await page.goto('/console');
    await page.getByRole('button', { name: 'Play the CPU series' }).click();
    await page.getByRole('link', { name: 'Watch its server' }).click();
    await page.getByRole('heading', { level: 1, name: 'demo-cpu' }).waitFor();
    await page.locator('.sentence', { hasText: 'Holds since' }).waitFor();
    await page.getByRole('row', { name: 'calm to firing' }).waitFor();
    await page.locator('.chart canvas').waitFor();
    await expectNoSidewaysScroll(page);
  });
});
