import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { ApiClient } from '../../e2e/api-client.js';
import { addSubscribedRule, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { embeddedTenantId } from '../../../src/identity/embedded.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  holdRequests,
  logInAsOperator,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

const HOUR = 3_600_000;
const PATH = `/console/servers/${embeddedTenantId('demo')}/web-1`;
const TOKEN = 'an-operator-token-of-more-than-32-characters';

describe('the mute on the console’s page of a server', () => {
  const browser = specBrowser();
  const open = scenes();

  const openServer = async (page: Page): Promise<void> => {
    await page.goto(PATH);
    await page.getByRole('heading', { level: 2, name: 'History' }).waitFor();
    await page.locator('.connection.live').waitFor();
  };
  const mutedUntil = async (api: ApiClient, id: string): Promise<string | undefined> =>
    okBody(await api.call('GET', `/v1.0/demo/servers/web-1/subscription/${id}`))['mutedUntil'];

  it('lets a tenant mute with a comment, change it and unmute, on a narrow screen', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await openServer(page);
    const dialog = page.getByRole('dialog', { name: 'Mute' });
    let button = 'Mute';
    for (const [label, hours, left] of [
      ['One hour', 1, /in (59 min|1 h)/],
      ['Seven days', 168, /in (6 d 23 h|7 d)/],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click();
      await dialog.waitFor();
      await dialog.getByText('always to http://127.0.0.1:9/').waitFor();
      await expectNoAxeViolations(page);
      await expectNoSidewaysScroll(page);
      const before = Date.now();
      await dialog.getByLabel('For').selectOption(label);
      await dialog.getByLabel('Comment').fill(`Disk replaced: ${label}`);
      await dialog.getByRole('button', { name: 'Mute', exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
      await page.getByText('The subscription is muted.').waitFor({ state: 'attached' });
      await page.locator('.details', { hasText: 'muted' }).getByText(left).waitFor();
      await page.locator('.details', { hasText: `, by demo: Disk replaced: ${label}` }).waitFor();
      const until = Date.parse((await mutedUntil(api, subscriptionId))!);
      expect(until).to.be.within(before + hours * HOUR, Date.now() + hours * HOUR);
      button = 'Change mute';
    }
    await expectNoAxeViolations(page);
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: button }).click();
    await dialog.getByText('The mute ends').waitFor();
    expect(await dialog.getByLabel('Comment').inputValue()).to.equal('Disk replaced: Seven days');
    await dialog.getByRole('button', { name: 'Unmute' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
    expect(await mutedUntil(api, subscriptionId)).to.equal(undefined);
    await page.locator('.badge', { hasText: 'muted' }).waitFor({ state: 'detached' });
  });

  it('shows the API’s error in the dialog, which stays open', async () => {
    const { url, api } = await open.service();
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
    const page = await browser.open({ url });
    browser.expectError(/404/);
    await logInAsTenant(page);
    await openServer(page);
    await page.getByRole('button', { name: 'Mute', exact: true }).click();
    // The page would show that the subscription has ended.
    const release = await holdRequests(page, '**/console/api/servers/**');
    okBody(await api.call('DELETE', `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`));
    const dialog = page.getByRole('dialog', { name: 'Mute' });
    await dialog.getByRole('button', { name: 'Mute', exact: true }).click();
    await dialog.getByRole('alert').getByText(`no subscription ${subscriptionId} on this server`).waitFor();
    await expectNoAxeViolations(page);
    release();
  });

  it('lets an operator end a mute of a tenant, and see why it was made', async () => {
    const { url, api } = await open.service({ OPERATOR_TOKEN: TOKEN });
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
    okBody(
      await api.call('PUT', `/v1.0/demo/servers/web-1/subscription/${subscriptionId}/mute`, {
        for: 7_200,
        comment: 'Backup runs',
      }),
    );
    const page = await browser.open({ url });
    await page.goto('/console/login');
    await logInAsOperator(page, TOKEN);
    await openServer(page);
    await page.locator('.badge', { hasText: 'muted' }).waitFor();
    await page.locator('.details', { hasText: ', by demo: Backup runs' }).waitFor();
    await page.goto('/console/quiet');
    await page.getByRole('cell', { name: 'demo: Backup runs' }).waitFor();
    await openServer(page);
    await page.getByRole('button', { name: 'Change mute' }).click();
    const dialog = page.getByRole('dialog', { name: 'Mute' });
    await dialog.getByRole('button', { name: 'Unmute' }).click();
    // The dialog has a button of this name too.
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
    expect(await mutedUntil(api, subscriptionId)).to.equal(undefined);
  });

  it('is no longer shown when it is over, without a reload', async () => {
    const clock = { ahead: 0 };
    const { url, api } = await open.service({}, () => Date.now() + clock.ahead);
    const { subscriptionId } = await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
    const page = await browser.open({ url });
    await logInAsTenant(page);
    okBody(
      await api.call('PUT', `/v1.0/demo/servers/web-1/subscription/${subscriptionId}/mute`, { for: 600 }),
    );
    await openServer(page);
    await page.locator('.badge', { hasText: 'muted' }).waitFor();
    await page.getByRole('button', { name: 'Change mute' }).waitFor();
    const sentence = page.locator('.subscription .sentence');
    await sentence.getByText(/^Muted until .*Z\. Not evaluated: /).waitFor();
    // The page reads again when its event stream begins. The reading after this one is due to the time alone.
    await page.waitForResponse(/\/console\/api\/servers\/\w+\/web-1$/);
    clock.ahead = 600_000;
    await page.locator('.badge', { hasText: 'muted' }).waitFor({ state: 'detached' });
    await sentence.getByText(/^Not evaluated: /).waitFor();
    await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
    expect(await mutedUntil(api, subscriptionId)).to.equal(undefined);
  });
});
