import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { addSubscribedRule, mailsIn, okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { tenantIdOf } from '../../policy/model/live-stage.js';
import {
  expectCount,
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsTenant,
  NARROW,
  navigationLink,
  specBrowser,
} from '../browser.js';

const run = promisify(execFile);

describe('a server that a tenant begins in the console', () => {
  const browser = specBrowser();
  const open = scenes();

  it('gets a rule that mails in one form, and fires with the lines that its page shows', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await navigationLink(page, 'Servers').click();
    await page.getByText('No servers yet').waitFor();
    await page.getByRole('button', { name: 'New server' }).click();
    await page.getByLabel('Server id').fill("web 1's");
    await page.getByLabel('Metric').selectOption('hdd');
    await page.getByLabel('Value', { exact: true }).fill('85');
    await page.getByLabel('E-mail').check();
    await page.getByLabel('Address', { exact: true }).fill('ops');
    await page.getByLabel('Text', { exact: true }).fill('Empty the disk.');
    browser.expectError(/400/);
    const create = page.getByRole('button', { name: 'Create rule' });
    await create.click();
    await page.getByText('must be 1 to 256 letters').waitFor();
    await page.getByText('without one the rule is not evaluated').waitFor();
    // All at once: the rule has no name yet, and the address is none.
    await expectCount(page.locator('[aria-invalid="true"]'), 4);
    for (const size of [[1440, 900], NARROW] as const) {
      await page.setViewportSize({ width: size[0], height: size[1] });
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
    }
    await page.getByLabel('Server id').fill('urn:web-1.json');
    await page.getByLabel('Name', { exact: true }).fill('full');
    await page.getByLabel('Address', { exact: true }).fill('ops@example.org');
    await page.getByLabel('Webhook URL').fill(receiver.origin);
    await create.click();
    await page.getByRole('heading', { level: 1, name: 'urn:web-1.json' }).waitFor();
    await page.getByText('Not evaluated: the window of hdd holds 0 of 5 values.').waitFor();

    const lines = await page.getByRole('region', { name: 'Measurements' }).innerText();
    const { stdout } = await run('bash', ['-e', '-c', lines]);
    expect(stdout).to.include('{"id":5,"title":"1 fact taken, 1 firing"}');
    await page
      .getByText(/^Holds since .*: the mean of hdd is 92.5, greater than 85\.$/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Delivery of the last firing: delivered' }).waitFor();
    const [mail] = await mailsIn(api, 1);
    expect(mail!.subject).to.equal('full on urn:web-1.json');
    await expectNoSidewaysScroll(page);
    await page.getByRole('link', { name: receiver.origin }).first().click();
    await page.getByRole('heading', { level: 1, name: receiver.origin }).waitFor();
  });

  it('has no rule if its receiver is refused, and both once it is right', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    const page = await browser.open({ url });
    browser.expectError(/400/);
    await logInAsTenant(page);
    await navigationLink(page, 'Servers').click();
    await page.getByRole('button', { name: 'New server' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog[open] input:focus').waitFor();
    await page.keyboard.type('web-1');
    await page.keyboard.press('Tab');
    await page.keyboard.type('busy');
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Tab');
    await page.keyboard.type('85');
    await page.getByLabel('Webhook URL').fill('ftp://receiver.example.org');
    await page.keyboard.press('Enter');
    const field = page.getByLabel('Webhook URL');
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    expect(await field.getAttribute('aria-invalid')).to.equal('true');
    const rules = async (): Promise<readonly object[]> => {
      const { servers } = okBody(await api.call('GET', '/v1.0/demo/servers')) as unknown as {
        readonly servers: readonly { readonly rules: readonly object[] }[];
      };
      return servers.flatMap((server) => server.rules);
    };
    expect(await rules()).to.deep.equal([]);
    await field.fill(receiver.origin);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'web-1' }).waitFor();
    await page.getByText('Not evaluated: the window of cpu holds 0 of 5 values.').waitFor();
    expect(await rules()).to.have.length(1);
  });

  it('sends its messages to a service, whose template is in the form', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    const page = await browser.open({ url });
    browser.expectError(/400/);
    await logInAsTenant(page);
    const [width, height] = NARROW;
    await page.setViewportSize({ width, height });
    await page.goto('/console/servers');
    await page.getByRole('button', { name: 'New server' }).click();
    const form = page.getByRole('form', { name: 'New rule' });
    await form.getByLabel('Server id').fill('web-1');
    await form.getByLabel('Name', { exact: true }).fill('busy');
    await form.getByLabel('Value', { exact: true }).fill('85');
    await form.getByLabel('Send to').selectOption('Opsgenie');
    await form.getByText('To be replaced: API_KEY.').waitFor();
    const group = form.getByRole('group', { name: 'Receiver' });
    await group.getByLabel('Value').fill('GenieKey 4f1c-secret');
    await group.getByLabel('URL').fill(receiver.origin);
    const template = group.getByLabel('Template');
    const filled = await template.inputValue();
    await template.fill('{"message": {{title}}}');
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    const create = page.getByRole('button', { name: 'Create rule' });
    await create.click();
    await form.getByText(/^makes no JSON: .+ for the state firing$/).waitFor();
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    await template.fill(filled);
    await create.click();
    await page.getByRole('heading', { level: 1, name: 'web-1' }).waitFor();
    await page.getByText('a template of application/json').waitFor();
    expect(await page.content()).to.not.include('4f1c');
    const { subscriptions } = okBody(await api.call('GET', '/v1.0/demo/subscriptions')) as unknown as {
      readonly subscriptions: readonly object[];
    };
    expect(subscriptions).to.have.length(1);
    expect(subscriptions[0]).to.deep.include({ format: 'template', headers: ['Authorization'] });
  });

  it('shows the lines that one of several rules needs, and how long it waits', async () => {
    const { url, api } = await open.service({ METRICS: 'queue' });
    const receiver = await open.receiver();
    const action = { actionName: 'notify-scale', operation: 'scaleUp' };
    const busy = { name: 'busy', condition: { cpu: { value: 85, operand: 'greater' } }, action };
    await addSubscribedRule(api, 'web-1', receiver.origin, busy);
    const mem = { mem: { value: 50, operand: 'greater' } };
    const queue = { queue: { value: 9, operand: 'greater equal' } };
    const jam = { name: 'jam', condition: { all: [queue, { not: mem }] }, for: 600, action };
    await addSubscribedRule(api, 'web-1', receiver.origin, jam);
    const page = await browser.open({ url });
    await page.goto(`/console/servers/${await tenantIdOf(api)}/web-1`);
    await page.getByLabel('Rule that they make hold').selectOption('jam');
    await page.getByText('It fires once it has held for 10 min').waitFor();
    const lines = page.getByRole('region', { name: 'Measurements' });
    await lines.getByText('usedMemPct').waitFor();
    await run('bash', ['-e', '-c', await lines.innerText()]);
    await page
      .getByText(/^Holds since .* and fires when it has held for 600 s: the mean of queue is/)
      .first()
      .waitFor();
    await expectNoAxeViolations(page);
  });
});
