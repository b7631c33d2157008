import { expect } from 'chai';
import type { FleetView } from '../../../src/policy/fleet/shapes.js';
import {
  addGeneric,
  addSubscribedRule,
  ALWAYS,
  cpu,
  okBody,
  subscribe,
  windowSize,
} from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

const BUSY = { ...ALWAYS, name: 'busy', condition: { cpu: { value: 85, operand: 'greater' } } };

describe('the console’s page of rules by state', () => {
  const browser = specBrowser();
  const open = scenes();

  it('counts the servers of each rule by state, follows them, and leads to them', async () => {
    const { url, api } = await open.service();
    const { origin } = await open.receiver();
    await windowSize(api, 1);
    const busy = await addGeneric(api, { ...BUSY, labels: { severity: 'critical' } });
    await addGeneric(api, { ...BUSY, name: 'unused' });
    for (const [server, value] of [
      ['web-1', 90],
      ['web-2', 20],
      ['web-3', 20],
    ] as const) {
      await subscribe(api, server, busy, origin);
      await cpu(api, server, value);
    }
    const page = await browser.open({ url, size: [1440, 900] });
    await page.goto('/console/rule-states');
    const row = page.getByRole('row', { name: 'busy' });
    const cells = row.locator('td:not([data-head="Last evaluation"]):not([data-head="Actions"])');
    await expectTexts(cells, ['busy severity=critical', 'demo', '3', '1', '0', '0', '0', '2']);
    const evaluated = page.locator('td[data-head="Last evaluation"]');
    await expectTexts(page.getByRole('row', { name: 'unused' }).locator(evaluated), ['–']);
    const first = await row.locator(evaluated).locator('time').getAttribute('datetime');
    expect(Date.now() - Date.parse(first!)).to.be.within(0, 60_000);
    await expectNoAxeViolations(page);
    await cpu(api, 'web-2', 99);
    await expectTexts(cells, ['busy severity=critical', 'demo', '3', '2', '0', '0', '0', '1']);
    const later = await row.locator(evaluated).locator('time').getAttribute('datetime');
    expect(Date.parse(later!)).to.be.above(Date.parse(first!));
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.getByRole('row', { name: 'busy' }).getByRole('link', { name: '2' }).click();
    await expectTexts(page.locator('tbody td[data-head="Server"]'), ['web-1', 'web-2']);
  });

  it('names the server of a rule that one server has, and subscribes no others to it', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await addGeneric(api, BUSY);
    await addSubscribedRule(api, 'db-1', 'http://127.0.0.1:9/', { ...BUSY, name: 'hot' });
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/rule-states');
    const row = page.getByRole('row', { name: 'hot' });
    await row.getByText('of db-1').waitFor();
    await page.getByRole('button', { name: 'Subscribe many servers to busy' }).waitFor();
    expect(await row.getByRole('button').count()).to.equal(0);
    await row.getByRole('link', { name: 'db-1' }).click();
    await page.getByRole('heading', { name: 'db-1' }).waitFor();
  });

  it('subscribes many servers of a tenant by pattern in one step, as an operator too, and says which failed', async () => {
    const { url, api } = await open.service();
    const { origin } = await open.receiver();
    await windowSize(api, 1);
    await addGeneric(api, BUSY);
    for (const server of ['web-1', 'web-2', 'web-10', 'db-1', 'job-1']) await cpu(api, server, 95);
    const page = await browser.open({ url });
    await page.goto('/console/rule-states');
    await page.getByRole('button', { name: 'Subscribe many servers to busy' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Servers', { exact: true }).fill('web-*, db-1');
    await dialog.getByText('4 servers: db-1, web-1, web-10, web-2').waitFor();
    await dialog.getByLabel('Webhook URL').fill('no url');
    await expectNoAxeViolations(page);
    browser.expectError(/400 \(Bad Request\)/);
    await dialog.getByRole('button', { name: 'Subscribe 4 servers' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/^4 of 4 failed\. [a-z]+-\d+: url: .* And 1 more\.$/)
      .waitFor();
    await dialog.getByLabel('Webhook URL').fill(origin);
    await page.keyboard.press('Enter');
    await page.getByText('4 servers are subscribed to the rule.').waitFor();
    await expectTexts(page.getByRole('row', { name: 'busy' }).locator('td[data-head="Bound"]'), ['4']);
    const fleet = okBody(await api.call('GET', '/v1.0/demo/fleet?rule=busy')) as unknown as FleetView;
    expect(fleet.servers.map(({ serverId }) => serverId).toSorted()).to.deep.equal([
      'db-1',
      'web-1',
      'web-10',
      'web-2',
    ]);
  });
});
