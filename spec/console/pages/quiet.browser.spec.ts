import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { QuietView } from '../../../src/policy/quiet/shapes.js';
import type { ApiClient } from '../../e2e/api-client.js';
import { addSubscribedRule, cpu, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  logInAsOperator,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

const TOKEN = 'an-operator-token-of-more-than-32-characters';
const WIDE = [1440, 900] as const;

describe('the page of quiet times', () => {
  const browser = specBrowser();
  const open = scenes();

  /** Three servers of two patterns, of which each has a rule. */
  async function fleet() {
    const service = await open.service({ OPERATOR_TOKEN: TOKEN });
    const { api } = service;
    await windowSize(api, 1);
    const made = [];
    for (const server of ['web-1', 'web-2', 'db-1'])
      made.push(await addSubscribedRule(api, server, 'http://127.0.0.1:9/'));
    return { ...service, subscriptionId: made[0]!.subscriptionId };
  }

  const form = (page: Page) => page.getByRole('form', { name: 'New quiet time' });
  const quiet = async (api: ApiClient): Promise<readonly QuietView[]> =>
    (okBody(await api.call('GET', '/v1.0/demo/quiet')) as unknown as { quiet: QuietView[] }).quiet;
  const cells = (page: Page, table: string, head: string) =>
    page.getByRole('table', { name: table, exact: true }).locator(`td[data-head="${head}"]`);

  it('mutes by pattern in four clicks from the overview, and shows how many it will be', async () => {
    const { url, api } = await fleet();
    const page = await browser.open({ url, size: WIDE });
    await logInAsTenant(page);
    await page.goto('/console');
    await page.getByRole('link', { name: 'Quiet times' }).click();
    await page.getByText('There is no quiet time.').waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'New quiet time' }).click();
    await form(page).getByLabel('Servers', { exact: true }).fill('web-*');
    await form(page).getByText('2 servers of 3').waitFor();
    await expectNoAxeViolations(page);
    await form(page).getByRole('button', { name: 'Mute' }).click();
    await cells(page, 'Quiet times', 'State').getByText('muted').waitFor();
    await expectTexts(cells(page, 'Quiet times', 'Servers'), ['web-*']);
    await expectNoAxeViolations(page);
    const [made] = await quiet(api);
    expect(made).to.deep.include({ servers: ['web-*'], duration: 3_600 });
    expect(made!.name).to.match(/^web-\d{4}-\d{6}$/);

    await page.goto('/console/servers');
    await page.goto(`/console/servers/${await tenantOf(page)}/web-1`);
    await page.locator('.details', { hasText: 'muted' }).getByText(`by ${made!.name}`).waitFor();
    await page.locator('.details').getByRole('link', { name: made!.name }).click();
    await page.getByRole('button', { name: `Delete ${made!.name}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this quiet time?' });
    await expectNoAxeViolations(page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no quiet time.').waitFor();
    expect(await quiet(api)).to.deep.equal([]);
  });

  const tenantOf = async (page: Page): Promise<string> => {
    const session = await page.evaluate<{ viewer: { tenantId: string } }>(
      "fetch('/console/api/session').then((answer) => answer.json())",
    );
    return session.viewer.tenantId;
  };

  it('begins with the patterns of its address, and takes the keyboard alone', async () => {
    const { url, api } = await fleet();
    const page = await browser.open({ url, size: WIDE });
    await logInAsTenant(page);
    await page.goto('/console/quiet?servers=web-*');
    await form(page).getByText('2 servers of 3').waitFor();
    await form(page).getByLabel('Servers', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await cells(page, 'Quiet times', 'State').getByText('muted').waitFor();
    expect((await quiet(api)).map(({ servers }) => servers)).to.deep.equal([['web-*']]);
    await page.waitForURL((at) => at.search === '');
  });

  it('makes those that recur without an RRULE, and with one, on a narrow screen', async () => {
    const { url, api } = await fleet();
    const page = await browser.open({ url, scheme: 'dark' });
    await logInAsTenant(page);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await page.goto('/console/quiet');
    const make = async (name: string, fill: () => Promise<void>): Promise<QuietView> => {
      await page.getByRole('button', { name: 'New quiet time' }).click();
      await form(page).getByLabel('Servers', { exact: true }).fill('*');
      await fill();
      await form(page).getByLabel('Name (may be empty)').fill(name);
      await form(page).locator('.quiet-preview time').first().waitFor();
      await expectNoAxeViolations(page);
      await expectNoSidewaysScroll(page);
      await form(page).getByRole('button', { name: 'Mute' }).click();
      await cells(page, 'Quiet times', 'Name').getByText(name, { exact: true }).waitFor();
      return (await quiet(api)).find((one) => one.name === name)!;
    };
    const when = (option: string) => form(page).getByLabel('When').selectOption(option);

    const nights = await make('nights', async () => {
      await when('daily');
      await form(page).getByLabel('Time zone').fill('Europe/Berlin');
      await form(page).getByLabel('Comment').fill('Backups');
    });
    expect(nights).to.deep.include({
      rrule: 'FREQ=DAILY',
      duration: 28_800,
      timezone: 'Europe/Berlin',
      comment: 'Backups',
    });
    expect(nights.start).to.match(/T22:00:00$/);

    const sundays = await make('sundays', async () => {
      await when('weekly');
      await form(page).getByLabel('From', { exact: true }).fill('00:00');
      await form(page).getByLabel('To', { exact: true }).fill('00:00');
    });
    expect(sundays).to.deep.include({ rrule: 'FREQ=WEEKLY;BYDAY=SU', duration: 86_400 });
    expect(new Date(`${sundays.start}Z`).getUTCDay()).to.equal(0);

    const rule = await make('first', async () => {
      await when('rule');
      await form(page).getByLabel('Hours each').fill('1.5');
    });
    expect(rule).to.deep.include({ rrule: 'FREQ=MONTHLY;BYDAY=1SU', duration: 5_400 });
    await cells(page, 'Quiet times', 'When').getByText('every day, 22:00 Europe/Berlin, for 8 h').waitFor();
    await page.getByRole('button', { name: 'Change nights' }).click();
    const changing = page.getByRole('form', { name: 'Quiet time', exact: true });
    await changing.getByLabel('To', { exact: true }).fill('05:00');
    await changing.locator('.quiet-preview time').first().waitFor();
    await expectNoAxeViolations(page);
    await changing.getByRole('button', { name: 'Save' }).click();
    await cells(page, 'Quiet times', 'When').getByText('every day, 22:00 Europe/Berlin, for 7 h').waitFor();
    await cells(page, 'Quiet times', 'When').getByText('every Sunday, 00:00 UTC, for 1 d').waitFor();
    await expectNoAxeViolations(page);
    await expectNoSidewaysScroll(page);
  });

  it('says at the field what is wrong', async () => {
    const { url } = await fleet();
    const page = await browser.open({ url });
    browser.expectError(/40[09]/);
    await logInAsTenant(page);
    await page.goto('/console/quiet?servers=web-*');
    await form(page).getByLabel('When').selectOption('rule');
    await form(page).getByLabel('RRULE').fill('every night');
    await form(page).locator('.quiet-preview').getByText('rrule: must be an RRULE of RFC 5545').waitFor();
    await form(page).getByRole('button', { name: 'Mute' }).click();
    await form(page).locator('.field .error').getByText('must be an RRULE of RFC 5545').waitFor();
    await page.locator('input[aria-invalid="true"]').waitFor();
    await form(page).getByLabel('Servers', { exact: true }).fill('web/1');
    await form(page).getByRole('button', { name: 'Mute' }).click();
    await form(page).locator('.field .error').getByText('servers[0]: must be a pattern').waitFor();
    await expectNoAxeViolations(page);
  });

  it('lists what is muted one by one, by whom, until when, and unmutes it', async () => {
    const { url, api, subscriptionId } = await fleet();
    const path = `/v1.0/demo/servers/web-1/subscription/${subscriptionId}`;
    okBody(
      await api.call(
        'PUT',
        `${path}/mute`,
        { for: 7_200 },
        { 'x-operator-token': TOKEN, 'x-auth-token': '' },
      ),
    );
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/quiet');
    const table = 'Subscriptions that are muted individually';
    await expectTexts(cells(page, table, 'Server'), ['web-1']);
    await expectTexts(cells(page, table, 'By'), ['operator']);
    await cells(page, table, 'Ends')
      .getByText(/in (2 h|1 h 59 min)/)
      .waitFor();
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: /^Unmute / }).click();
    await page.getByText('No subscription is muted individually.').waitFor();
    expect(okBody(await api.call('GET', path))).not.to.have.property('mutedUntil');
  });

  it('lets operators make them for a tenant, who sees and cannot delete them', async () => {
    const { url, api } = await fleet();
    const page = await browser.open({ url });
    await page.goto('/console/quiet?servers=db-*');
    await logInAsOperator(page, TOKEN);
    await form(page).getByLabel('Tenant (id or name)').fill('demo');
    await form(page).getByText('1 server of 3').waitFor();
    await form(page).getByLabel('Name (may be empty)').fill('move');
    await form(page).getByRole('button', { name: 'Mute' }).click();
    await cells(page, 'Quiet times', 'Name').getByText('move').waitFor();
    await expectTexts(cells(page, 'Quiet times', 'Tenant'), ['demo']);
    await expectNoAxeViolations(page);
    expect((await quiet(api))[0]).to.include({ name: 'move', by: 'operator', operator: true });

    const other = await browser.open({ url });
    await logInAsTenant(other);
    await other.goto('/console/quiet');
    await other.getByText('of operators').waitFor();
    expect(await other.getByRole('button', { name: 'Delete move' }).count()).to.equal(0);

    await page.getByRole('button', { name: 'Delete move' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no quiet time.').waitFor();
    await cpu(api, 'db-1', 1);
    expect(await quiet(api)).to.deep.equal([]);
  });
});
