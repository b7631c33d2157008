import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { ApiClient } from '../../e2e/api-client.js';
import { addSubscribedRule, cpu, factsBody, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { tenantIdOf } from '../../policy/model/live-stage.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from '../browser.js';

const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater', clear: 70 } },
  labels: { severity: 'critical' },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};
const MINUTE = 60_000;

describe('the past on the page of a server', () => {
  const browser = specBrowser();
  const open = scenes();

  /** Starts a service whose clock the spec sets: now, unless it is set back first. */
  const start = async (minutesAgo: number) => {
    const clock = { now: Date.now() - minutesAgo * MINUTE };
    const scene = await open.service({ WINDOW_GAP_S: '0' }, () => clock.now);
    await windowSize(scene.api, 1);
    return { ...scene, clock };
  };
  const openServer = async (
    { url, api }: { readonly url: string; readonly api: ApiClient },
    size: readonly [number, number] = [1440, 900],
  ): Promise<Page> => {
    const page = await browser.open({ url, size });
    await page.goto(`/console/servers/${await tenantIdOf(api)}/web-1`);
    await page.locator('.connection.live').waitFor();
    return page;
  };
  const chart = (page: Page, text: string) => page.getByRole('img', { name: text });
  /** Returns how many pixels of a chart have a colour. */
  const drawn = (page: Page, metric: string, variable: string): Promise<number> =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('[aria-label^="${metric},"] canvas');
      if (canvas === null) return 0;
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

  it('is there after a reload: 400 facts of three hours, by time, and live values go on', async () => {
    const scene = await start(180);
    const { api, clock } = scene;
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    const first = clock.now;
    for (let i = 0; i < 400; i += 1) {
      clock.now = first + i * 27_000;
      await cpu(api, 'web-1', i === 0 ? 99 : (i % 50) + 10);
    }
    clock.now = Date.now();
    await cpu(api, 'web-1', 33);
    const page = await openServer(scene);
    await chart(page, 'cpu, last hour: 1').waitFor();
    const hour = await chart(page, 'cpu, last hour').getAttribute('aria-label');
    expect(hour).to.match(/^cpu, last hour: 13\d values from 10 to 59, newest mean [\d.]+, threshold 85/);
    await page.reload();
    await chart(page, 'cpu, last hour: 13').waitFor();
    await page.getByRole('button', { name: 'Last day' }).press('Enter');
    await chart(page, 'cpu, last day: 401 values from 10 to 99').waitFor();
    await page.locator('[aria-label^="cpu,"] canvas').waitFor();
    // From then on each value moves it, without a reload.
    await cpu(api, 'web-1', 5);
    await chart(page, 'cpu, last day: 402 values from 5 to 99').waitFor();
    await page.getByRole('button', { name: 'cpu as a table' }).press('Enter');
    const table = page.getByRole('table', { name: 'Values of cpu' });
    expect(await table.getByRole('row').count()).to.be.within(19, 21);
    await expectNoAxeViolations(page);
  });

  it('shows when rules fired, and tells thresholds apart by their lines and labels', async () => {
    const scene = await start(40);
    const { api, clock } = scene;
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/b', {
      ...BUSY,
      name: 'hot',
      condition: { cpu: { value: 95, operand: 'greater', aggregate: 'max' } },
    });
    for (const value of [20, 30, 90, 90, 75, 20, 20, 20, 90]) {
      await cpu(api, 'web-1', value);
      clock.now += 4 * MINUTE;
    }
    clock.now = Date.now();
    for (const size of [[1440, 900], NARROW] as const) {
      const page = await openServer(scene, size);
      await chart(page, 'threshold 85 that clears at 70, threshold of the max 95, fired 2 times.').waitFor();
      await page.getByText('firing 2 times in the last hour').waitFor();
      const list = page.getByRole('list', { name: 'Thresholds' });
      expect(await list.innerText()).to.match(/85\s*clears at 70\s*busy/);
      const patterns = await list
        .locator('line')
        .evaluateAll((lines: readonly { getAttribute(name: string): string }[]) =>
          lines.map((line) => line.getAttribute('stroke-dasharray')),
        );
      expect(patterns).to.have.length(3);
      expect(new Set(patterns)).to.have.length(2);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await eventually(
          async () =>
            ((await drawn(page, 'cpu', '--bad-soft')) > 300 &&
              (await drawn(page, 'cpu', '--bad')) > 100 &&
              (await drawn(page, 'cpu', '--warn')) > 20) ||
            undefined,
          SOON_MS,
          () => `the times in which it fired, or the lines, are not drawn in ${colorScheme}`,
        );
      }
      await page.getByText('severity=critical').first().waitFor();
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
    }
  });

  it('calls a value stale, and says why there is no past', async () => {
    const scene = await start(62);
    const { api, clock } = scene;
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    const body = factsBody({ cpuLoadPct: '40', usedMemPct: '60' });
    for (let i = 0; i < 50; i += 1) {
      okBody(await api.call('POST', '/demo/servers/web-1', body));
      clock.now += MINUTE;
    }
    clock.now = Date.now();
    const page = await openServer(scene);
    const figure = (metric: string) =>
      page.locator('figure', { has: page.getByRole('heading', { name: metric, exact: true }) });
    await figure('cpu')
      .getByText(/last value 40, 1[23] min ago/)
      .waitFor();
    await figure('mem').getByText('No subscribed rule reads mem: its past is not kept.').waitFor();
    await cpu(api, 'web-1', 50);
    await figure('cpu').getByText('newest 50').waitFor();
    expect(await figure('cpu').getByText('last value').count()).to.equal(0);
    await expectNoAxeViolations(page);
  });

  it('lets a tenant, or an operator, acknowledge what fires, with a note, and take it back', async () => {
    const scene = await start(0);
    const { api } = scene;
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', BUSY);
    await cpu(api, 'web-1', 95);
    const page = await openServer(scene, NARROW);
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note (may be empty)').fill('disk is being replaced');
    await expectNoAxeViolations(page);
    await dialog.getByRole('button', { name: 'Acknowledge' }).press('Enter');
    const row = page.locator('.details div', { hasText: /^acknowledged/ });
    await row.getByText('disk is being replaced').waitFor();
    expect(await row.innerText()).to.match(/by operator\s*(now|\d+ s ago)\s*: disk is being replaced/);
    const path = `/v1.0/demo/servers/web-1/subscription/${subscriptionId}/ack`;
    expect((await api.call('PUT', path, {})).status).to.equal(200);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'Remove acknowledgement' }).press('Enter');
    await page.getByText('It is not acknowledged any more.').waitFor();
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).waitFor();
    expect(await row.count()).to.equal(0);
  });
});
