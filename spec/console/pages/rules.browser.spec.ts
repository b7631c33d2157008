import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { arrived, factsBody, firedIn, okBody } from '../../e2e/policy/actions.js';
import type { ApiClient } from '../../e2e/api-client.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsOperator,
  NARROW,
  SESSION_OVER,
  specBrowser,
  takeCookie,
} from '../browser.js';
import { rulesPage } from './rules-page.js';

const HOSTILE = 'idle \u202Egnp.exe <img src=x onerror="document.title=1">';

async function rulesOf(api: ApiClient): Promise<readonly { readonly ruleId: string }[]> {
  return okBody(await api.call('GET', '/v1.0/demo/rules'))['rules']!;
}

describe('the page of a tenant’s rules', () => {
  const browser = specBrowser();
  const open = scenes();

  /** Opens the form of a new rule and fills it. */
  async function fill(page: Page, name: string, value: string): Promise<void> {
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Value', { exact: true }).fill(value);
  }

  const create = (page: Page) => page.getByRole('button', { name: 'Create rule' });

  it('makes a rule that fires', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    const page = await rulesPage(browser, url);
    await page.getByLabel('Values in a window').fill('2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Windows hold 2 values now.').waitFor();
    await fill(page, 'busy', '80');
    await create(page).click();
    await page.getByRole('cell', { name: 'cpu > 80' }).waitFor();

    const [rule] = await rulesOf(api);
    const wanted = { ruleId: rule!.ruleId, url: receiver.origin };
    okBody(await api.call('POST', '/v1.0/demo/servers/web-1/subscription', wanted));
    await page.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByText('Nothing has been sent yet.').waitFor();
    const body = factsBody({ cpuLoadPct: '70' }, { cpuLoadPct: '96' });
    okBody(await api.call('POST', '/demo/servers/web-1', body));
    const [fired] = firedIn(await arrived(receiver, 1));
    expect(fired).to.deep.include({ ruleName: 'busy', action: 'scaleUp', measures: { cpu: 83 } });
    await page.getByRole('link', { name: 'webhook: busy' }).waitFor();
    await page.getByRole('cell', { name: 'delivered' }).waitFor();
  });

  it('shows the service’s words beside each field, keeps what is typed, and goes to the first problem', async () => {
    const { url, api } = await open.service();
    const page = await rulesPage(browser, url);
    browser.expectError(/400/);
    await fill(page, ' ', '85,5');
    await page.getByLabel('E-mail').check();
    await page.getByLabel('Address', { exact: true }).fill('nobody');
    await page.getByLabel('Text').fill('It is busy.');
    await create(page).click();
    const problem = async (label: string): Promise<string> => {
      const input = page.getByLabel(label, { exact: true });
      expect(await input.getAttribute('aria-invalid'), label).to.equal('true');
      const ids = ((await input.getAttribute('aria-describedby')) ?? '').split(' ');
      return page.locator(`[id="${ids.at(-1)}"]`).innerText();
    };
    await page.locator('[aria-invalid="true"]').first().waitFor();
    const refused = await api.call('POST', '/v1.0/demo/rules', {
      name: ' ',
      condition: { cpu: { value: '85,5', operand: 'greater' } },
      action: { actionName: 'notify-email', email: 'nobody', body: 'It is busy.' },
    });
    const { message } = refused.body.error!;
    expect(message).to.include(`name: ${await problem('Name')}`);
    // People type numbers; JSON is what programs send.
    const value = (await problem('Value')).replace('a number', 'a JSON number');
    expect(message).to.include(`condition.cpu.value: ${value}`);
    expect(message).to.include(`action.email: ${await problem('Address')}`);
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    expect(await page.locator('dialog label').first().getAttribute('for')).to.equal(
      await page.locator(':focus').getAttribute('id'),
    );
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).to.equal('85,5');
    expect(await page.getByLabel('Text').inputValue()).to.equal('It is busy.');
    expect(await rulesOf(api)).to.deep.equal([]);
    await expectNoAxeViolations(page);

    await page.getByLabel('Name', { exact: true }).fill('busy');
    await page.getByLabel('Value', { exact: true }).fill('85.5');
    await page.getByLabel('Address', { exact: true }).fill('ops@example.org');
    await create(page).click();
    await page.getByRole('cell', { name: 'cpu > 85.5' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('sends a form once, however often it is submitted', async () => {
    const { url, api } = await open.service();
    const page = await rulesPage(browser, url);
    let posted = 0;
    await page.route('**/v1.0/*/rules', async (route) => {
      if (route.request().method() === 'POST') posted += 1;
      await route.continue();
    });
    await fill(page, 'once', '80');
    await page.evaluate(
      'for (let i = 0; i < 5; i += 1) document.querySelector("dialog form").requestSubmit()',
    );
    await page.getByRole('cell', { name: 'once', exact: true }).waitFor();
    expect(posted).to.equal(1);
    expect(await rulesOf(api)).to.have.length(1);
  });

  it('changes only what was changed', async () => {
    const { url, api } = await open.service();
    okBody(
      await api.call('POST', '/v1.0/demo/rules', {
        name: HOSTILE,
        condition: { cpu: { value: 80, operand: 'greater' }, net: { value: 5, operand: 'less equal' } },
        action: { actionName: 'shrink', operation: 'scaleDown' },
      }),
    );
    const page = await rulesPage(browser, url);
    await page.getByRole('button', { name: 'Change' }).click();
    const value = page.getByLabel('Value', { exact: true }).nth(1);
    expect(await value.inputValue()).to.equal('5');
    await value.fill('7');
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.method() === 'PUT'),
      page.getByRole('button', { name: 'Save changes' }).click(),
    ]);
    expect(request.postDataJSON()).to.deep.equal({
      condition: { cpu: { value: 80, operand: 'greater' }, net: { value: 7, operand: 'less equal' } },
    });
    await page.getByRole('cell', { name: 'cpu > 80 and net ≤ 7' }).waitFor();
    expect(await page.getByRole('cell').first().innerText()).to.equal(HOSTILE.replace('\u202E', 'U+202E'));
    expect(await page.locator('main img').count()).to.equal(0);
  });

  it('deletes a rule after a question', async () => {
    const { url, api } = await open.service();
    const page = await rulesPage(browser, url);
    await fill(page, 'short-lived', '80');
    await create(page).click();
    const remove = page.getByRole('button', { name: 'Delete short-lived' });
    await remove.click();
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await rulesOf(api)).to.have.length(1);
    await remove.click();
    await page.getByRole('button', { name: 'Delete rule' }).click();
    await page.getByText('No rules of the tenant yet.').waitFor();
    expect(await rulesOf(api)).to.deep.equal([]);
  });

  it('keeps what is typed when the session ends before it is sent', async () => {
    const { url } = await open.service({ OPERATOR_TOKEN: 'operator-token-of-more-than-32-characters' });
    const page = await rulesPage(browser, url);
    browser.expectError(SESSION_OVER);
    await fill(page, 'long thought about', '61');
    await takeCookie(page, 'POST', /\/rules$/);
    await create(page).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.getByRole('button', { name: 'Tenant', exact: true }).click();
    await page.getByLabel('Tenant', { exact: true }).fill('demo');
    await page.getByLabel('User').fill('demo');
    await page.getByLabel('Password').fill('demo');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('dialog', { name: 'New rule' }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('long thought about');
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).to.equal('61');
    await create(page).click();
    await page.getByRole('cell', { name: 'cpu > 61' }).waitFor();
  });

  it('shows the webhook secret when asked, and replaces it after a question', async () => {
    const { url, api } = await open.service();
    const page = await rulesPage(browser, url);
    expect(await page.content()).not.to.include('whsec_');
    await page.getByRole('button', { name: 'Show the secret' }).click();
    const shown = page.getByRole('region', { name: 'Webhook secret' });
    const { secret } = okBody(await api.call('GET', '/v1.0/demo/webhook-secret'));
    expect(await shown.innerText()).to.equal(secret);
    await page.getByRole('button', { name: 'Make a new one' }).click();
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByRole('region', { name: 'Previous webhook secret' }).waitFor();
    const after = okBody(await api.call('GET', '/v1.0/demo/webhook-secret'));
    expect(await shown.first().innerText()).to.equal(after['secret']);
    expect(after['secret']).not.to.equal(secret);
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'Hide' }).click();
    expect(await page.content()).not.to.include('whsec_');
  });

  it('works by keyboard alone', async () => {
    const { url } = await open.service();
    const page = await rulesPage(browser, url);
    await page.getByRole('button', { name: 'New rule' }).focus();
    const name = page.locator('dialog[open] input:focus');
    await page.keyboard.press('Enter');
    await name.waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'New rule' }).waitFor();
    await page.keyboard.press('Enter');
    await name.waitFor();
    await page.keyboard.type('typed');
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Tab');
    await page.keyboard.type('42');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'cpu > 42' }).waitFor();
  });

  it('needs no horizontal scroll at 380 px', async () => {
    const { url, api } = await open.service();
    okBody(
      await api.call('POST', '/v1.0/demo/rules', {
        name: HOSTILE.padEnd(256, 'x'),
        condition: { cpu: { value: 80, operand: 'greater' } },
        action: { actionName: 'y'.repeat(256), operation: 'scaleDown' },
      }),
    );
    const page = await rulesPage(browser, url);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await page.getByRole('cell', { name: 'cpu > 80' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.getByRole('button', { name: 'New rule' }).click();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });

  for (const token of [undefined, 'operator-token-of-more-than-32-characters']) {
    it(`is an operator’s for each tenant, ${token ? 'with' : 'without'} OPERATOR_TOKEN`, async () => {
      const { url, api } = await open.service(token === undefined ? {} : { OPERATOR_TOKEN: token });
      await rulesOf(api);
      const page = await browser.open({ url });
      await page.goto('/console/rules');
      if (token !== undefined) await logInAsOperator(page, token);
      await page.getByText('Choose a tenant').waitFor();
      await expectNoAxeViolations(page);
      await page.getByRole('link', { name: 'demo' }).click();
      await page.getByText('No rules of the tenant yet.').waitFor();
      await fill(page, 'busy', '80');
      await create(page).click();
      await page.getByRole('cell', { name: 'cpu > 80' }).waitFor();
      await page.getByRole('button', { name: 'Change busy' }).click();
      await page.getByLabel('Value', { exact: true }).fill('90');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('cell', { name: 'cpu > 90' }).waitFor();
      expect(await rulesOf(api)).to.have.length(1);
      // What is the tenant's own affair.
      expect(await page.getByText('Webhook secret').count()).to.equal(0);
      await expectNoAxeViolations(page);
      await page.getByRole('button', { name: 'Delete busy' }).click();
      await page.getByRole('button', { name: 'Delete rule' }).click();
      await page.getByText('No rules of the tenant yet.').waitFor();
      expect(await rulesOf(api)).to.deep.equal([]);
    });
  }
});
