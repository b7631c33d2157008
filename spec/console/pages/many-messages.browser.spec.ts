import { expect } from 'chai';
import { addRule, addSubscribedRule, cpu, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { tenantIdOf } from '../../policy/model/live-stage.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from '../browser.js';

const HIGH = {
  name: 'high',
  condition: { cpu: { value: 99, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

describe('a rule that would have sent hundreds of messages', () => {
  const browser = specBrowser();
  const open = scenes();

  it('is saved after a warning alone, and without one once it repeats less', async () => {
    const clock = { now: Date.now() - 50 * 60_000 };
    const { url, api } = await open.service({ WINDOW_GAP_S: '0' }, () => clock.now);
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', HIGH);
    for (let i = 0; i < 100; i += 1) {
      await cpu(api, 'web-1', 90);
      clock.now += 30_000;
    }
    const page = await browser.open({ url });
    await page.goto(`/console/servers/${await tenantIdOf(api)}/web-1`);
    const ruleCount = async (): Promise<number> => {
      const { servers } = okBody(await api.call('GET', '/v1.0/demo/servers')) as unknown as {
        readonly servers: readonly { readonly rules: readonly unknown[] }[];
      };
      return servers.flatMap(({ rules }) => rules).length;
    };
    // The warning is made of the past, which is a reading of its own.
    await page.getByRole('img', { name: 'cpu, last hour: 100 values' }).waitFor();
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('busy');
    await page.getByLabel('Value', { exact: true }).fill('85');
    await page.getByRole('button', { name: 'Create rule' }).click();
    const warning = page.getByRole('alert').filter({ hasText: 'it would have sent about' });
    await warning.waitFor();
    // Two values a minute: about 100 in 50 minutes.
    expect(Number(/about (\d+) messages/.exec(await warning.innerText())![1])).to.be.within(90, 110);
    expect(await ruleCount()).to.equal(1);
    for (const size of [[1440, 900], NARROW] as const) {
      await page.setViewportSize({ width: size[0], height: size[1] });
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
    }
    await page.getByText('When it notifies').click();
    await page.getByLabel('Repeats after').fill('2 h');
    await warning.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByText('The rule is created.').waitFor();
    expect(await ruleCount()).to.equal(2);
  });

  it('can be saved all the same', async () => {
    const clock = { now: Date.now() - 50 * 60_000 };
    const { url, api } = await open.service({ WINDOW_GAP_S: '0' }, () => clock.now);
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', HIGH);
    await addRule(api, 'web-1', { ...HIGH, name: 'other' });
    for (let i = 0; i < 50; i += 1) {
      await cpu(api, 'web-1', 90);
      clock.now += 60_000;
    }
    const page = await browser.open({ url });
    await page.goto(`/console/servers/${await tenantIdOf(api)}/web-1`);
    await page.getByRole('img', { name: 'cpu, last hour: 50 values' }).waitFor();
    await page.getByRole('button', { name: 'Change other' }).click();
    await page.getByLabel('Value', { exact: true }).fill('80');
    await page.getByRole('button', { name: 'Save changes' }).press('Enter');
    await page.getByRole('button', { name: 'Save changes anyway' }).press('Enter');
    await page.getByText('The rule is changed.').waitFor();
    // A new name changes no message.
    await page.getByRole('button', { name: 'Change other' }).click();
    await page.getByLabel('Name', { exact: true }).fill('another');
    await page.getByRole('button', { name: 'Save changes' }).press('Enter');
    await page.getByRole('button', { name: 'Change another' }).waitFor();
  });
});
