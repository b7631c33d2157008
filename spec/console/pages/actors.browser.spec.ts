import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { addSubscribedRule, cpu, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  expectTexts,
  HOSTILE,
  NARROW,
  specBrowser,
} from '../browser.js';

/** A path needs `.json` twice for it: a final one asks for the format. */
const ENDS_IN_JSON = 'web-3.json';
const LONG_TEXT = `<script>document.title = 1</script> ${'long '.repeat(2_000)}`;
const EMAIL = {
  name: HOSTILE,
  condition: { cpu: { value: 0, operand: 'greater equal' } },
  action: { actionName: 'notify-email', email: 'ops@example.org', body: LONG_TEXT },
};

describe('the pages of actors', () => {
  const browser = specBrowser();
  const open = scenes();

  async function list(page: Page, query = ''): Promise<void> {
    await page.goto(`/console/actors${query}`);
    await page.getByRole('table', { name: 'Actors' }).waitFor();
  }
  const names = (page: Page): Locator => page.getByRole('cell').and(page.locator('[data-head=Name]'));

  it('list the actors by kind, state and tenant', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/');
    for (const server of ['web-1', 'web-2', `${ENDS_IN_JSON}.json`]) await cpu(api, server, 90);
    const page = await browser.open({ url });
    await list(page);
    await expectNoAxeViolations(page);
    await page.getByLabel('Kind').selectOption('server');
    await page.waitForURL(/kind=server/);
    await expectTexts(names(page), ['web-1', 'web-2', ENDS_IN_JSON]);
    await page.getByLabel('State').selectOption('firing');
    await expectTexts(names(page), ['web-1']);
    await page.getByLabel('Tenant id').fill('nobody');
    await page.getByText('No such actors.').waitFor();
    expect(new URL(page.url()).searchParams.get('tenant')).to.equal('nobody');
    await page.goBack();
  });

  it('find actors by a part of the name, and offer the states of the chosen kind alone', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    for (const server of ['web-1', 'prod-WEB-2', 'db-1']) await cpu(api, server, 90);
    const page = await browser.open({ url });
    await list(page);
    expect(await page.getByLabel('State').count()).to.equal(0);
    await page.getByLabel('Kind').selectOption('delivery');
    const states = page.getByLabel('State').locator('option');
    await states.filter({ hasText: 'waiting' }).waitFor({ state: 'attached' });
    expect(await states.allInnerTexts()).not.to.include('firing');
    await page.getByLabel('Kind').selectOption('server');
    await page.getByLabel('Part of the name').fill('web');
    await expectTexts(names(page), ['prod-WEB-2', 'web-1']);
    await page.getByRole('cell', { name: 'demo' }).first().waitFor();
  });

  it('show the statechart, the transitions and what waits, of any kind', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const receiver = await open.receiver((response) => {
      response.statusCode = 503;
      response.end('not now');
    });
    await addSubscribedRule(api, 'web-1', receiver.origin);
    await cpu(api, 'web-1', 95);
    for (const size of [undefined, NARROW]) {
      const page = await browser.open({ url, ...(size && { size }) });
      await list(page, '?kind=server');
      await page.getByRole('link', { name: 'web-1' }).click();
      await page.getByRole('img', { name: /^Present state: firing\. States: firing, noData/ }).waitFor();
      await page.getByRole('table', { name: 'History' }).getByText('firing').first().waitFor();
      await expectNoAxeViolations(page);
      await expectNoSidewaysScroll(page);
      await list(page, '?kind=delivery');
      await names(page).getByRole('link').first().click();
      await page.getByRole('img', { name: /^Present state: waiting\. / }).waitFor();
      // What leads on from here, and the tries so far.
      await page
        .getByText(/on (?:\w+, )*wake/)
        .locator('visible=true')
        .first()
        .waitFor();
      await page.getByRole('table', { name: 'Attempts' }).getByText('503').first().waitFor();
      // Times of the context are readable.
      await page
        .getByRole('group', { name: 'Context' })
        .getByText(/\(20\d\d-\d\d-\d\dT/)
        .first()
        .waitFor();
      await expectNoAxeViolations(page);
      await expectNoSidewaysScroll(page);
    }
  });

  it('leave a filter as it is typed while they are filtered by it', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    const page = await browser.open({ url });
    await list(page);
    const tenant = page.getByLabel('Tenant id');
    await tenant.pressSequentially('no ');
    await page.waitForURL(/tenant=no(?!\+)/);
    await tenant.pressSequentially('body');
    await page.waitForURL(/tenant=no\+body/);
    expect(await tenant.inputValue()).to.equal('no body');
    await tenant.fill('other');
    await tenant.press('Enter');
    await page.waitForURL(/tenant=other/);
  });

  it('go through a long list page by page', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    for (let i = 0; i < 60; i += 1) await cpu(api, `web-${String(i).padStart(2, '0')}`, 1);
    const page = await browser.open({ url });
    await list(page, '?kind=server');
    const all = Array.from({ length: 60 }, (_, i) => `web-${String(i).padStart(2, '0')}`);
    await expectTexts(names(page), all.slice(0, 50));
    await page.getByRole('button', { name: 'Next page' }).click();
    await expectTexts(names(page), all.slice(50));
    await page.goBack();
    await page.getByRole('link', { name: 'web-00' }).waitFor();
  });

  it('show an actor as it is stored, and its changes without a reload', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 1);
    await cpu(api, `${ENDS_IN_JSON}.json`, 12);
    const page = await browser.open({ url });
    await list(page, '?kind=server');
    await page.getByRole('link', { name: ENDS_IN_JSON }).click();
    await page.getByRole('heading', { name: ENDS_IN_JSON }).waitFor();
    const context = page.getByRole('group', { name: 'Context' });
    await context.getByText('factId: 1').waitFor();
    await page.getByText('Nothing to do: every effect is performed.').waitFor();
    await expectNoAxeViolations(page);
    await cpu(api, `${ENDS_IN_JSON}.json`, 13);
    await context.getByText('factId: 2').waitFor();
    await context.locator('summary', { hasText: 'tracked:' }).click();
    await context.locator('summary', { hasText: 'cpu:' }).click();
    await context.locator('summary', { hasText: /values: 1/ }).click();
    await context.getByText('0: 13').waitFor();
  });

  it('show names and texts of others as text, long ones cut', async () => {
    const { url, api } = await open.service();
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', EMAIL);
    const page = await browser.open({ url, size: NARROW });
    await list(page, '?kind=server');
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.getByRole('link', { name: 'web-1' }).click();
    const context = page.getByRole('group', { name: 'Context' });
    await context.locator('summary', { hasText: '0:' }).first().click();
    await context.locator('summary', { hasText: 'action:' }).click();
    await context.getByText('U+202E').waitFor();
    const whole = context.getByRole('button', {
      name: `show all ${LONG_TEXT.length.toLocaleString('en')} characters`,
    });
    await whole.waitFor();
    expect(await context.innerText())
      .to.include('<script>')
      .and.not.include(LONG_TEXT.trim());
    await whole.click();
    expect(await context.innerText()).to.include(LONG_TEXT.trim());
    expect(await page.title()).to.equal('server web-1 · Mirzam');
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });

  it('say that an actor does not exist', async () => {
    const { url, api } = await open.service();
    okBody(await api.call('GET', '/v1.0/demo'));
    browser.expectError(/404/);
    const page = await browser.open({ url });
    await page.goto('/console/actors/server/nobody/nothing');
    await page.getByText('no such actor').waitFor();
  });
});
