import { expect } from 'chai';
import { addRule, ALWAYS, okBody, windowSize } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsTenant,
  NARROW,
  specBrowser,
} from '../browser.js';

const SECRET = 'GenieKey 4f1c-secret';

describe('the form of a subscription', () => {
  const browser = specBrowser();
  const open = scenes();

  it('fills the template and the headers of a service, sends a test in it, and never shows a value again', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    await windowSize(api, 1);
    await addRule(api, 'web-1', { ...ALWAYS, name: 'busy "now"', repeat: 0 });
    const page = await browser.open({ url });
    await logInAsTenant(page);
    const [width, height] = NARROW;
    await page.setViewportSize({ width, height });
    await page.goto('/console/servers?query=web-1');
    await page.getByRole('link', { name: 'web-1', exact: true }).click();
    await page.getByRole('button', { name: /^Subscribe to/ }).click();
    const form = page.getByRole('form', { name: 'New subscription' });
    await form.getByLabel('Send to').selectOption('Opsgenie');
    const value = form.getByLabel('Value');
    expect(await value.inputValue()).to.equal('GenieKey API_KEY');
    await form.getByText('To be replaced: API_KEY.').waitFor();
    await value.fill(SECRET);
    expect(await form.getByText('To be replaced').count()).to.equal(0);
    await form.getByLabel('URL').fill(receiver.origin);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);

    await form.getByRole('button', { name: 'Send a test' }).click();
    const answer = page.getByRole('dialog', { name: 'The answer to the test message' });
    await answer.getByText('delivered').waitFor();
    const [test] = receiver.got;
    expect(JSON.parse(test!.body)).to.deep.include({
      message: 'Test message of Mirzam',
      entity: 'web-1',
    });
    expect(test!.headers['authorization']).to.equal(SECRET);
    await answer.getByRole('button', { name: 'Close' }).click();
    // Until then nothing behind it takes what is typed.
    await answer.waitFor({ state: 'hidden' });

    // What the service refuses stands at the field.
    browser.expectError(/400/);
    const template = form.getByLabel('Template');
    const filled = await template.inputValue();
    const noJson = '{"message": {{title}}}';
    await template.fill(noJson);
    // The response to the first test may be reported only now.
    const refused = page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes(JSON.stringify(noJson))),
    );
    await form.getByRole('button', { name: 'Send a test' }).click();
    expect((await refused).status(), await (await refused).text()).to.equal(400);
    await form.getByText(/^makes no JSON: .+ for the state firing$/).waitFor();
    expect(receiver.got).to.have.length(1);
    await template.fill(filled);
    await form.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await page.getByText('a template of application/json').waitFor();
    await page.getByText('Authorization', { exact: true }).waitFor();
    expect(await page.content()).to.not.include('4f1c');
    const { subscriptions } = okBody(await api.call('GET', '/v1.0/demo/subscriptions')) as unknown as {
      readonly subscriptions: readonly object[];
    };
    expect(subscriptions[0]).to.deep.include({ format: 'template', headers: ['Authorization'] });
    await expectNoAxeViolations(page);

    // Other services, whose choice leaves nothing of this one.
    await page.getByRole('button', { name: /^Subscribe to/ }).click();
    await form.getByLabel('Send to').selectOption('CloudEvents');
    expect(await form.getByLabel('Template').count()).to.equal(0);
    await form.getByLabel('URL').fill(`${receiver.origin}/events`);
    await form.getByRole('button', { name: 'Send a test' }).click();
    await answer.getByText('delivered').waitFor();
    expect(JSON.parse(receiver.got.at(-1)!.body)).to.deep.include({ type: 'org.mirzam.test' });
    await answer.getByRole('button', { name: 'Close' }).click();
    await answer.waitFor({ state: 'hidden' });
    const names = await form.getByLabel('Send to').locator('option').allInnerTexts();
    expect(names).to.include.members(['Webhook (Mirzam)', 'Slack', 'Teams', 'PagerDuty', 'Alertmanager']);
  });
});
