import { expect } from 'chai';
import { addRule, okBody } from '../../e2e/policy/actions.js';
import type { ApiClient } from '../../e2e/api-client.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  NARROW,
  navigationLink,
  specBrowser,
} from '../browser.js';
import { rulesPage } from './rules-page.js';

const GROUPED = {
  name: 'grouped',
  condition: {
    any: [
      { cpu: { value: 85, operand: 'greater', clear: 70, aggregate: 'max' } },
      { not: { mem: { value: 5, operand: 'greater equal' } } },
    ],
  },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
  for: 60,
  resolve: true,
};

describe('the form of a rule with a condition beyond rows of comparisons', () => {
  const browser = specBrowser();
  const open = scenes();

  const add = async (api: ApiClient, rule: object): Promise<string> =>
    okBody(await api.call('POST', '/v1.0/demo/rules', rule))['ruleId']!;
  const read = async (api: ApiClient, ruleId: string): Promise<object> =>
    okBody(await api.call('GET', `/v1.0/demo/rules/${ruleId}`));

  it('keeps a group while something else is changed', async () => {
    const { url, api } = await open.service();
    const ruleId = await add(api, GROUPED);
    const page = await rulesPage(browser, url);
    await page.getByRole('button', { name: 'Change grouped' }).click();
    await page.getByLabel('Name', { exact: true }).fill('renamed');
    await page.getByLabel('Holds for').fill('');
    await page.getByLabel('No data after').fill('5 min');
    await page.getByText('= 300 s.').waitFor();
    await expectNoAxeViolations(page);
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.method() === 'PUT'),
      page.getByRole('button', { name: 'Save changes' }).click(),
    ]);
    expect(request.postDataJSON()).to.deep.equal({ name: 'renamed', for: null, noData: 300 });
    await page.getByRole('cell', { name: 'renamed', exact: true }).waitFor();
    const { for: _, ...rest } = GROUPED;
    expect(await read(api, ruleId)).to.deep.equal({ ...rest, ruleId, name: 'renamed', noData: 300 });
  });

  it('shows the service’s words about JSON, keeps the text, and saves it when it is right', async () => {
    const { url, api } = await open.service();
    const ruleId = await add(api, GROUPED);
    const page = await rulesPage(browser, url);
    browser.expectError(/400/);
    await page.getByRole('button', { name: 'Change grouped' }).click();
    await page.getByRole('button', { name: 'Write as JSON' }).click();
    const json = page.getByLabel('Condition as JSON');
    expect(JSON.parse(await json.inputValue())).to.deep.equal(GROUPED.condition);
    const hidden = 'document.activeElement.scrollWidth - document.activeElement.clientWidth';
    for (const width of [1280, NARROW[0]]) {
      await page.setViewportSize({ width, height: 860 });
      await json.focus();
      expect(await page.evaluate<number>(hidden), `${width} px`).to.equal(0);
    }
    const refusal = async (condition: unknown): Promise<string> => {
      const answer = await api.call('PUT', `/v1.0/demo/rules/${ruleId}`, { condition });
      return answer.body.error!.message.replace('condition: ', '');
    };
    const save = page.getByRole('button', { name: 'Save changes' });
    const wrong = { any: [{ cpu: { value: 850, operand: 'greater' } }] };
    await json.fill(JSON.stringify(wrong));
    await save.click();
    await page.locator('fieldset .error', { hasText: await refusal(wrong) }).waitFor();
    expect(await json.inputValue()).to.equal(JSON.stringify(wrong));

    const cut = '{"any": [';
    await json.fill(cut);
    await page.getByText('Not valid JSON').waitFor();
    await save.click();
    await page.locator('fieldset .error', { hasText: await refusal(cut) }).waitFor();
    expect(await json.inputValue()).to.equal(cut);
    await expectNoAxeViolations(page);

    const right = { any: [{ cpu: { value: 90, operand: 'greater' } }, GROUPED.condition.any[1]] };
    await json.fill(JSON.stringify(right));
    await save.click();
    await page.getByRole('cell', { name: 'cpu > 90 or not (mem ≥ 5)' }).waitFor();
    expect(await read(api, ruleId)).to.deep.equal({ ...GROUPED, ruleId, condition: right });
  });

  it('makes groups in groups of fields, with the service’s words at the field', async () => {
    const { url, api } = await open.service();
    const page = await rulesPage(browser, url);
    browser.expectError(/400/);
    for (const width of [1440, NARROW[0]]) {
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole('button', { name: 'New rule' }).click();
      await page.getByLabel('Name', { exact: true }).fill(`grouped at ${width}`);
      await page.getByLabel('Value', { exact: true }).fill('850');
      await page.getByRole('button', { name: 'Add a group' }).click();
      const group = page.getByRole('group', { name: 'Group' });
      await group.getByLabel('Metric').selectOption('mem');
      await group.getByLabel('Is', { exact: true }).selectOption('at least');
      await group.getByLabel('Value', { exact: true }).fill('50');
      await group.getByRole('button', { name: 'Add a comparison' }).click();
      await group.getByLabel('Value', { exact: true }).nth(1).fill('5');
      await group.getByLabel('The group holds while').selectOption('not all of these hold');
      await page.getByLabel('The rule holds while').selectOption('any of these holds');
      await page.getByRole('button', { name: 'Create rule' }).click();
      const wrong = page.getByLabel('Value', { exact: true }).first();
      await page.getByText('must be a number from 0 to 100').waitFor();
      expect(await wrong.getAttribute('aria-invalid')).to.equal('true');
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
      await wrong.fill('85');
      await page.getByRole('button', { name: 'Create rule' }).click();
      await page
        .getByRole('cell', { name: `grouped at ${width}` })
        .first()
        .waitFor();
    }
    const { rules } = okBody(await api.call('GET', '/v1.0/demo/rules')) as unknown as {
      rules: readonly { readonly condition: object }[];
    };
    const members = { mem: { value: 50, operand: 'greater equal' }, cpu: { value: 5, operand: 'greater' } };
    for (const { condition } of rules)
      expect(condition).to.deep.equal({
        any: [{ cpu: { value: 85, operand: 'greater' } }, { not: members }],
      });
  });

  it('gives a rule labels, and takes one away', async () => {
    const { url, api } = await open.service();
    const ruleId = await add(api, GROUPED);
    const page = await rulesPage(browser, url);
    browser.expectError(/400/);
    const change = () => page.getByRole('button', { name: 'Change grouped' }).click();
    const save = page.getByRole('button', { name: 'Save changes' });
    await change();
    await page.getByText('Labels', { exact: true }).click();
    await page.getByLabel('Severity').selectOption('critical');
    await page.getByRole('button', { name: 'Add a label' }).click();
    await page.getByLabel('Label', { exact: true }).fill('the team');
    await page.locator('.label-row').getByLabel('Is').fill('web');
    await save.click();
    await page.getByText('at most 16 labels').waitFor();
    await expectNoAxeViolations(page);
    await page.getByLabel('Label', { exact: true }).fill('team');
    await save.click();
    await page.getByText('severity=critical, team=web').waitFor();
    expect(await read(api, ruleId)).to.deep.include({ labels: { severity: 'critical', team: 'web' } });
    await change();
    await page.getByLabel('Severity').selectOption('none');
    await page.getByRole('button', { name: 'Remove the label team' }).click();
    await save.click();
    await page.getByText('severity=critical').waitFor({ state: 'detached' });
    expect(await read(api, ruleId)).not.to.have.property('labels');
  });

  it('shows when a rule of a server notifies, and changes it alone', async () => {
    const { url, api } = await open.service();
    const ruleId = await addRule(api, 'web-1', GROUPED);
    const page = await rulesPage(browser, url);
    await navigationLink(page, 'Servers').click();
    await page.getByRole('link', { name: 'web-1' }).click();
    await page.getByRole('button', { name: 'Change grouped' }).click();
    expect(await page.getByLabel('Holds for').inputValue()).to.equal('1 min');
    expect(await page.getByLabel('Notify when it is over').isChecked()).to.equal(true);
    await page.getByLabel('Notify when it is over').uncheck();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('fires after 1 min', { exact: true }).waitFor();
    const { resolve: _, ...rest } = GROUPED;
    const path = `/v1.0/demo/servers/web-1/rules/${ruleId}`;
    expect(okBody(await api.call('GET', path))).to.deep.equal({ ...rest, ruleId });
  });

  it('makes a rule of another metric that clears, waits, repeats, resolves and misses data', async () => {
    const { url, api } = await open.service({ METRICS: 'queue:0..1000' });
    const page = await rulesPage(browser, url);
    browser.expectError(/400/);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('long queue');
    await page.getByLabel('Metric').selectOption('another …');
    await page.getByLabel('Metric').fill('queue');
    await page.getByLabel('Value', { exact: true }).fill('500');
    await page.getByLabel('Compared').selectOption('max');
    await page.getByLabel('Clears at').fill('600');
    await page.getByText('When it notifies').click();
    await page.getByLabel('Holds for').fill('60');
    await page.getByLabel('Repeats after').fill('0');
    await page.getByLabel('No data after').fill('5');
    await page.getByLabel('Notify when it is over').check();
    await expectNoSidewaysScroll(page);
    const create = page.getByRole('button', { name: 'Create rule' });
    await create.click();
    await page.getByText('must be at most 500, the value').waitFor();
    await page.getByText('must be an integer from 10 to 604800, in seconds').waitFor();
    await expectNoAxeViolations(page);
    await page.getByLabel('Clears at').fill('400');
    await page.getByLabel('No data after').fill('10');
    await create.click();
    await page.getByRole('cell', { name: 'max of queue > 500 (clears at 400)' }).waitFor();
    const { rules } = okBody(await api.call('GET', '/v1.0/demo/rules')) as unknown as {
      rules: readonly object[];
    };
    expect(rules[0]).to.deep.include({
      name: 'long queue',
      condition: { queue: { value: 500, operand: 'greater', clear: 400, aggregate: 'max' } },
      for: 60,
      repeat: 0,
      resolve: true,
      noData: 10,
    });
  });
});
