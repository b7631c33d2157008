import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { ApiClient } from '../e2e/api-client.js';
import { addGeneric, ALWAYS, cpu, okBody, subscribe, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import type { FleetView } from '../../src/policy/fleet/shapes.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsOperator,
  NARROW,
  specBrowser,
} from './browser.js';

const TOKEN = 'operator-token-of-more-than-32-characters';

describe('the overview of a fleet in trouble, for an operator', () => {
  const browser = specBrowser();
  const open = scenes();

  /** Twelve servers that fire, and one that fires for a rule of its own. Opens the overview, and counts clicks on it. */
  async function stage(): Promise<{
    page: Page;
    api: ApiClient;
    click: (on: Locator) => Promise<void>;
    clicks: () => number;
  }> {
    const { url, api } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const { origin } = await open.receiver();
    await windowSize(api, 1);
    const busy = await addGeneric(api, { ...ALWAYS, name: 'busy' });
    const warm = await addGeneric(api, { ...ALWAYS, name: 'warm' });
    for (let i = 0; i < 12; i += 1) {
      const subscriptionId = await subscribe(api, `web-${i}`, busy, origin);
      if (i === 3) await subscribe(api, 'web-3', warm, origin);
      await cpu(api, `web-${i}`, 90 + i / 10);
      // Of its two rules that fire one is acknowledged: it needs somebody still.
      if (i === 3)
        okBody(
          await api.call('PUT', `/v1.0/demo/servers/web-3/subscription/${subscriptionId}/ack`, {
            note: 'seen',
          }),
        );
    }
    await subscribe(api, 'db-1', warm, origin);
    await cpu(api, 'db-1', 80);
    const page = await browser.open({ url, size: [1440, 900] });
    await page.goto('/console/login');
    await logInAsOperator(page, TOKEN);
    await page.goto('/console');
    await page.getByRole('link', { name: 'firing 13' }).waitFor();
    let clicks = 0;
    const click = async (on: Locator): Promise<void> => {
      clicks += 1;
      await on.click();
    };
    return { page, api, click, clicks: () => clicks };
  }

  const acknowledged = (api: ApiClient, count: number): Promise<true> =>
    eventually(
      async () => {
        const fleet = okBody(await api.call('GET', '/v1.0/demo/fleet?limit=1000')) as unknown as FleetView;
        return fleet.servers.filter(({ marks }) => marks.acknowledged > 0).length === count || undefined;
      },
      SOON_MS,
      () => `not ${count} are acknowledged`,
    );

  it('shows the reason after one click', async () => {
    const { page, click, clicks } = await stage();
    await click(page.getByText('busy: 12 servers'));
    await page.getByText('the mean of cpu is 90.1, at least 0.').waitFor();
    expect(clicks()).to.equal(1);
  });

  it('acknowledges one server, or all of a rule, with two clicks; they are in trouble no more', async () => {
    const { page, api, click, clicks } = await stage();
    const dialog = page.getByRole('dialog');
    await click(page.getByRole('button', { name: 'Acknowledge db-1' }));
    await click(dialog.getByRole('button', { name: 'Acknowledge' }));
    await acknowledged(api, 2);
    await page.locator('.trouble', { hasText: 'db-1' }).getByText('acknowledged', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Acknowledge db-1' }).waitFor({ state: 'detached' });
    expect(clicks()).to.equal(2);
    await click(page.getByRole('button', { name: 'Acknowledge 12 servers of busy' }));
    await click(dialog.getByRole('button', { name: 'Acknowledge' }));
    await acknowledged(api, 13);
    expect(clicks()).to.equal(4);
    // Nothing of it is left, also on a server with another rule that fires.
    await page.getByRole('button', { name: /^Acknowledge \d+ servers of/ }).waitFor({ state: 'detached' });
    await page.getByText(/^busy: 12 servers.*, 12 acknowledged$/).waitFor();
    await eventually(
      async () => (await page.title()) === 'Overview · Mirzam' || undefined,
      SOON_MS,
      () => 'the title counts those that are acknowledged',
    );
  });

  it('mutes by pattern with four clicks at most', async () => {
    const { page, api, click, clicks } = await stage();
    await click(page.getByRole('link', { name: 'Mute web-*' }));
    await page.getByRole('heading', { name: 'Mute by pattern' }).waitFor();
    await click(page.getByRole('main').getByRole('button', { name: 'Mute', exact: true }));
    await eventually(
      async () => {
        const fleet = okBody(await api.call('GET', '/v1.0/demo/fleet?limit=1000')) as unknown as FleetView;
        return fleet.servers.filter(({ marks }) => marks.muted > 0).length === 12 || undefined;
      },
      SOON_MS,
      () => 'they are not muted',
    );
    expect(clicks()).to.be.at.most(4);
    await page.goto('/console');
    await page.getByText(/^busy: 12 servers.*, 12 muted$/).waitFor();
    await page.getByRole('link', { name: /^firing 13 .*12 muted$/ }).waitFor();
    await expectNoAxeViolations(page);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });
});
