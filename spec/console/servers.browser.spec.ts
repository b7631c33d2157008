import { expect } from 'chai';
import type { FleetView } from '../../src/policy/fleet/shapes.js';
import { apiClient } from '../e2e/api-client.js';
import {
  addGeneric,
  addSubscribedRule,
  ALWAYS,
  cpu,
  factsBody,
  okBody,
  subscribe,
  windowSize,
} from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import {
  expectCount,
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  logInAsOperator,
  logInAsTenant,
  NARROW,
  specBrowser,
} from './browser.js';
import { copyServer } from './many-servers.js';

describe('the console’s page of servers', () => {
  const browser = specBrowser();
  const open = scenes();

  it('finds one among 10,000 by the keyboard, and leads to it and back', async () => {
    const folder = await open.folder();
    const first = await open.service({ DATA_DIR: folder });
    await windowSize(first.api, 1);
    await cpu(first.api, 'first', 1);
    await first.close();
    await copyServer(
      folder,
      'first',
      Array.from({ length: 10_000 }, (_, i) => `web-${String(i).padStart(5, '0')}`),
    );
    const { url } = await open.service({ DATA_DIR: folder });
    const page = await browser.open({ url });
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'first', exact: true }).waitFor();
    // A part of a long list is shown at once.
    await expectCount(page.getByRole('row'), 51);
    await page.getByRole('button', { name: 'unwatched 10,001' }).waitFor();

    await page.getByLabel('Part of the id or rule').focus();
    await page.keyboard.type('WEB-0777');
    const found = page.getByRole('link', { name: 'web-07777' });
    await found.waitFor();
    await expectCount(page.getByRole('row'), 11);
    expect(new URL(page.url()).search).to.equal('?query=WEB-0777');
    await expectNoAxeViolations(page);
    await found.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'web-07777' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'web-07770' }).waitFor();
    expect(await page.getByLabel('Part of the id or rule').inputValue()).to.equal('WEB-0777');
  });

  it('filters by state, in which a server appears when it changes', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await cpu(api, 'idle', 1);
    await addSubscribedRule(api, 'hot', 'http://127.0.0.1:9/');
    const page = await browser.open({ url });
    await page.goto('/console/servers');
    await page.getByRole('button', { name: 'firing 0' }).click();
    await page.getByText('No such server').waitFor();
    await expectNoAxeViolations(page);
    await cpu(api, 'hot', 99);
    await page.getByRole('link', { name: 'hot' }).waitFor();
    await page.getByRole('button', { name: 'firing 1' }).waitFor();
    expect(await page.getByRole('link', { name: 'idle' }).count()).to.equal(0);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('link', { name: 'idle' }).waitFor();
  });

  it('filters by the name of a tenant', async () => {
    const { url, api } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    const other = await apiClient(url, 'other', 'olga', 'pass');
    okBody(await other.call('GET', '/v1.0/other'));
    await windowSize(api, 1);
    const { origin } = await open.receiver();
    await subscribe(api, 'web-1', await addGeneric(api), origin);
    await cpu(api, 'web-1', 1);
    okBody(await other.call('POST', '/other/servers/web-2', factsBody({ cpuLoadPct: '1' })));
    const page = await browser.open({ url });
    await page.goto('/console/servers');
    const filter = page.getByLabel('Tenant id or name');
    await filter.fill('other');
    await page.getByRole('link', { name: 'web-1' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'web-2' }).waitFor();
    expect(await filter.inputValue()).to.equal('other');
    await page.getByRole('cell', { name: 'other' }).waitFor();
    for (const path of ['servers', 'rule-states', 'deliveries']) {
      await page.goto(`/console/${path}?tenant=demo`);
      await page.getByRole('cell', { name: 'demo' }).first().waitFor();
    }
    expect(await page.getByRole('cell', { name: 'other' }).count()).to.equal(0);
  });

  it('walks the pages', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    for (let i = 10; i < 65; i += 1) await cpu(api, `web-${i}`, 1);
    const page = await browser.open({ url });
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'web-10' }).waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'web-64' }).waitFor();
    await expectCount(page.getByRole('row'), 6);
    await page.getByRole('button', { name: 'First page' }).click();
    await page.getByRole('link', { name: 'web-10' }).waitFor();
  });

  it('shows a tenant its own servers, at 380 px without horizontal scroll', async () => {
    const { url, api } = await open.service({ IDENTITY_USERS: 'demo:demo:demo,other:olga:pass' });
    await windowSize(api, 1);
    await cpu(api, `a-long-name.${'0123456789'.repeat(20)}`, 1);
    const page = await browser.open({ url, size: NARROW });
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'a-long-name' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.setViewportSize({ width: 1280, height: 860 });
    await logInAsTenant(page, { tenant: 'other', user: 'olga', password: 'pass' });
    await page.goto('/console/servers');
    await page.getByText('No servers yet').waitFor();
    expect(await page.getByLabel('Tenant id').count()).to.equal(0);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await expectNoSidewaysScroll(page);
  });

  it('says of each server its rule, why, the value against the threshold and since when; the worst first', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const busy = {
      ...ALWAYS,
      name: 'busy',
      labels: { severity: 'critical' },
      condition: { cpu: { value: 85, operand: 'greater' } },
    };
    await addSubscribedRule(api, 'calm-1', 'http://127.0.0.1:9/', busy);
    await addSubscribedRule(api, 'hot-1', 'http://127.0.0.1:9/', { ...ALWAYS, name: 'any' });
    await addSubscribedRule(api, 'hot-2', 'http://127.0.0.1:9/', busy);
    await cpu(api, 'calm-1', 20);
    await cpu(api, 'hot-2', 91.456);
    await cpu(api, 'hot-1', 91);
    const page = await browser.open({ url, size: [1440, 900] });
    await page.goto('/console/servers');
    const names = page.locator('tbody td[data-head="Server"]');
    await expectTexts(names, ['hot-2', 'hot-1', 'calm-1']);
    const row = page.getByRole('row', { name: 'hot-2' });
    const cell = (head: string) => row.locator(`td[data-head="${head}"]`);
    expect(await cell('State').innerText()).to.equal('firing');
    expect(await cell('Rule').innerText()).to.equal('busy critical');
    expect(await cell('Reason').innerText()).to.match(
      /^cpu 91\.46 > 85\nHolds since .*: the mean of cpu is 91\.456, greater than 85\.$/,
    );
    expect(await cell('Since').innerText()).to.match(/^\d+ s$/);
    expect(await cell('Last fact').innerText()).to.match(/^(?:now|\d+ s ago)$/);
    await cell('Messages').getByText('1 waiting').waitFor();
    await expectNoAxeViolations(page);

    await page.getByLabel('Order').selectOption('By name');
    await expectTexts(names, ['calm-1', 'hot-1', 'hot-2']);
    expect(new URL(page.url()).search).to.equal('?sort=name');
    await page.getByLabel('Label').fill('severity=critical');
    await expectTexts(names, ['calm-1', 'hot-2']);
    await page.getByRole('button', { name: 'firing' }).click();
    await expectTexts(names, ['hot-2']);
    await page.reload();
    await expectTexts(names, ['hot-2']);
    expect(new URL(page.url()).search).to.equal('?sort=name&label=severity%3Dcritical&state=firing');
    await page.goto('/console/servers?rule=any');
    await expectTexts(names, ['hot-1']);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });

  it('acknowledges and mutes many at once, by keyboard alone', async () => {
    const token = 'operator-token-of-more-than-32-characters';
    const { url, api } = await open.service({ OPERATOR_TOKEN: token });
    await windowSize(api, 1);
    for (let i = 0; i < 60; i += 1) {
      await addSubscribedRule(api, `web-${10 + i}`, 'http://127.0.0.1:9/');
      await cpu(api, `web-${10 + i}`, 95);
    }
    const page = await browser.open({ url });
    await page.goto('/console/login');
    await logInAsOperator(page, token);
    await page.goto('/console/servers?state=firing&sort=name');
    const press = async (name: string): Promise<void> => {
      await page.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
    };
    for (const name of ['web-10', 'web-11']) {
      await page.getByRole('checkbox', { name: `Select ${name}` }).focus();
      await page.keyboard.press('Space');
    }
    await page.getByText('2 servers selected').waitFor();
    await press('Acknowledge');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note (may be empty)').focus();
    await page.keyboard.type('The room is too warm');
    await expectNoAxeViolations(page);
    await page.keyboard.press('Enter');
    await page.getByText('2 servers are acknowledged.').waitFor();
    const row = page.getByRole('row', { name: 'web-11' });
    await row.locator('.marks').getByText('acknowledged').waitFor();
    expect(await page.getByRole('row', { name: 'web-12' }).getByText('acknowledged').count()).to.equal(0);

    await press('Select all of the list');
    await page.getByText('60 servers selected').waitFor();
    await press('Mute');
    await dialog.getByLabel('For').selectOption('8 hours');
    await dialog.getByRole('button', { name: 'Mute' }).click();
    await page.getByText('60 servers are muted.').waitFor();
    await page.getByRole('row', { name: 'web-59' }).locator('.marks').getByText('muted').waitFor();
    const fleet = okBody(await api.call('GET', '/v1.0/demo/fleet?limit=1000')) as unknown as FleetView;
    expect(fleet.servers.filter(({ marks }) => marks.muted === 1)).to.have.length(60);
    expect(fleet.servers.filter(({ marks }) => marks.acknowledged === 1)).to.have.length(2);
  });
});
