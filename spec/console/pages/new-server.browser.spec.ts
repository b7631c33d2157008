import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

const run = promisify(execFile);

describe('a server that a tenant begins in the console', function () {
  this.timeout(60_000);
  const browser = specBrowser();
  const open = scenes();

  it('gets a rule and a subscription in forms, and fires with the lines that its page shows', async () => {
    const { url } = await open.service();
    const receiver = await open.receiver();
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.getByRole('link', { name: 'Servers', exact: true }).click();
    await page.getByText('No servers yet').waitFor();
    await page.getByRole('button', { name: 'New server' }).click();
    await expectNoAxeViolations(page);
    await page.getByLabel('Server id').fill("web 1's");
    await page.getByRole('button', { name: 'Open its page' }).click();
    await page.getByText('It has 1 to 256 letters').waitFor();
    await expectNoAxeViolations(page);
    await page.getByLabel('Server id').fill('urn:web-1.json');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'urn:web-1.json' }).waitFor();
    await page.getByText('Nothing is known of this server yet.').waitFor();
    await expectNoAxeViolations(page);

    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('full');
    await page.getByLabel('Metric').selectOption('hdd');
    await page.getByLabel('Value', { exact: true }).fill('85');
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('button', { name: 'Subscribe to full' }).click();
    await page.getByLabel('Webhook URL').fill(receiver.origin);
    await page.getByRole('dialog').getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('Not evaluated: the window of hdd holds 0 of 5 values.').waitFor();

    const lines = await page.getByRole('region', { name: 'Measurements' }).innerText();
    const { stdout } = await run('bash', ['-e', '-c', lines]);
    expect(stdout).to.include('{"id":5,"title":"1 fact taken, 1 firing"}');
    await page
      .getByText(/^Holds since .*: the mean of hdd is 92.5, greater than 85\.$/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Delivery of the last firing: delivered' }).waitFor();
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await expectNoSidewaysScroll(page);
  });
});
