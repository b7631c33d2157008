import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { cpu, okBody, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsTenant,
  NARROW,
  specBrowser,
} from './browser.js';

const RULE = {
  name: 'Disk \u202Enearly full',
  condition: { hdd: { value: 90, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

describe('the search box', () => {
  const browser = specBrowser();
  const open = scenes();

  async function stage(size?: readonly [number, number]) {
    const service = await open.service();
    await windowSize(service.api, 1);
    for (const name of ['web-1', 'web-2', 'db-main']) await cpu(service.api, name, 1);
    okBody(await service.api.call('POST', '/v1.0/demo/rules', RULE));
    const page = await browser.open({ url: service.url, ...(size && { size }) });
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    return { ...service, page };
  }
  const field = (page: Page) => page.getByRole('combobox', { name: /Server/ });
  const options = (page: Page) => page.getByRole('option');

  it('opens with / and Ctrl-K, finds a server, and goes there, by keyboard alone', async () => {
    const { page } = await stage();
    await page.keyboard.press('/');
    // Letters count from the first on, also before the field is there.
    await page.keyboard.type('web');
    await eventually(
      async () => (await field(page).inputValue()) === 'web' || undefined,
      SOON_MS,
      () => 'the letters are not in the field',
    );
    await options(page).filter({ hasText: 'web-2' }).waitFor();
    await expectNoAxeViolations(page);
    expect(await page.getByRole('option', { selected: true }).innerText()).to.contain('web-1');
    await page.keyboard.press('ArrowDown');
    expect(await page.getByRole('option', { selected: true }).innerText()).to.contain('web-2');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/servers\/[^/]+\/web-2$/);
    await page.getByRole('heading', { name: 'web-2', level: 1 }).waitFor();
    expect(await page.locator('dialog[open]').count()).to.equal(0);
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
  });

  it('follows the first result of Enter that comes before the answer', async () => {
    const { page } = await stage();
    await page.keyboard.press('/');
    await field(page).waitFor();
    await page.keyboard.type('db-ma');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/db-main$/);
  });

  it('leaves / alone in a field, and says when nothing is found', async () => {
    const { page } = await stage();
    await page.goto('/console/actors');
    const tenant = page.getByLabel('Tenant id');
    await tenant.click();
    browser.expectError(/400/);
    await page.keyboard.type('/');
    expect(await tenant.inputValue()).to.equal('/');
    expect(await page.locator('dialog[open]').count()).to.equal(0);
    await page.keyboard.press('Control+k');
    await field(page).fill('no such thing');
    await page.getByText('Nothing found.').waitFor();
    await expectNoAxeViolations(page);
  });

  it('finds tenants, rules and pages, on a narrow screen', async () => {
    const { page } = await stage(NARROW);
    await page.getByRole('button', { name: 'Search' }).click();
    await field(page).fill('demo');
    await options(page).filter({ hasText: 'tenant' }).waitFor();
    await field(page).fill('nearly');
    // A mark of direction is written as its code point.
    await options(page).filter({ hasText: 'U+202E' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await options(page).first().click();
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
    await page.getByRole('cell', { name: 'hdd > 90' }).waitFor();
    await page.getByRole('button', { name: 'Search' }).click();
    await field(page).fill('deliv');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
  });

  it('finds for a tenant what is its own', async () => {
    const { page } = await stage();
    await logInAsTenant(page);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('/');
    await field(page).fill('web-1');
    await options(page).filter({ hasText: 'web-1' }).waitFor();
    expect(await page.getByText('Server, rule, entity, whole message id').count()).to.equal(1);
  });
});
