import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { FleetView } from '../../../src/policy/fleet/shapes.js';
import { type ApiClient, request } from '../../e2e/api-client.js';
import { addSubscribedRule, cpu, factsBody, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  holdRequests,
  NARROW,
  specBrowser,
} from '../browser.js';

const RULE = {
  name: 'long queue',
  condition: {
    any: [
      { queue: { value: 4000, operand: 'greater', clear: 2500 } },
      { cpu: { value: 30, operand: 'greater', aggregate: 'sum' } },
    ],
  },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

const RULE_OF_CPU = { ...RULE, condition: { cpu: { value: 85, operand: 'greater' } } };

describe('the windows on the page of a server', () => {
  const browser = specBrowser();
  const open = scenes();

  async function openServer(url: string, page: Page): Promise<void> {
    const { servers } = okBody(
      await request(`${url}/console/api/servers?query=web-1`, 'GET'),
    ) as unknown as FleetView;
    await page.goto(`/console/servers/${servers[0]!.tenantId}/web-1`);
    await page.locator('.connection.live').waitFor();
  }
  const measure = async (api: ApiClient, queue: number): Promise<void> => {
    const body = factsBody({ cpuLoadPct: '50', queue: String(queue) });
    okBody(await api.call('POST', '/demo/servers/web-1', body));
  };
  /** Returns how often a color is drawn. */
  const drawn = (page: Page, chart: string, variable: string): Promise<number> =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('[aria-label^="${chart},"] canvas');
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'var(${variable})';
      const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
      probe.remove();
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4)
        if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 6 && data[i + 3] > 200) count += 1;
      return count;
    })()`);

  it('have further metrics on a scale of their own, with thresholds and where they clear', async () => {
    const { url, api } = await open.service({ METRICS: 'queue' });
    await windowSize(api, 2);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', RULE);
    for (const queue of [1000, 3000]) await measure(api, queue);
    const page = await browser.open({ url, size: NARROW });
    await openServer(url, page);
    const text =
      /^queue, last hour: 2 values from 1,000 to 3,000, .*threshold 4,000 that clears at 2,500, fired 1 time\.$/;
    await page.getByRole('img', { name: text }).waitFor();
    await page.getByRole('img', { name: /^cpu, .* threshold of the sum 30, fired 1 time\.$/ }).waitFor();
    const queue = page.locator('figure', { has: page.getByRole('heading', { name: 'queue' }) });
    expect(await queue.getByRole('list', { name: 'Thresholds' }).innerText()).to.match(
      /4,000\s*clears at 2,500\s*long queue/,
    );
    const lines = async (chart: string) => [
      await drawn(page, chart, '--bad'),
      await drawn(page, chart, '--warn'),
    ];
    await page.locator('[aria-label^="queue,"] canvas').waitFor();
    await eventually(
      async () => (await lines('queue')).every((count) => count > 20) || undefined,
      SOON_MS,
      () => 'the lines of the threshold and of its clear were not drawn',
    );
    // The sum of a window is not a value of the series: it has no line.
    expect(await page.locator('[aria-label="Thresholds"] line').count()).to.equal(2);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await measure(api, 9000);
    await page.getByRole('img', { name: /^queue, last hour: 3 values from 1,000 to 9,000/ }).waitFor();
  });

  it('cause no error when their page is left before the library of the plots is loaded', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 2);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', RULE_OF_CPU);
    await cpu(api, 'web-1', 50);
    const page = await browser.open({ url });
    const release = await holdRequests(page, '**/console/assets/uPlot*');
    const asked = page.waitForRequest('**/console/assets/uPlot*');
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'web-1' }).click();
    const library = (await asked).url();
    // The effects of a page end after the paint that follows it. This clock holds up that paint.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
    release();
    await page.evaluate((address) => import(address) as Promise<unknown>, library);
    await page.clock.resume();
    await page.getByRole('link', { name: 'web-1' }).waitFor();
  });
});
