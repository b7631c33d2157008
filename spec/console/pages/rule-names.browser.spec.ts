import { expect } from 'chai';
import { ALWAYS, okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { logInAsTenant, specBrowser } from '../browser.js';

/** Cut at 80 and at 160 characters, each name would end in half of a pair. */
const LONG = [`${'y'.repeat(79)}😀abc`, `${'z'.repeat(159)}😀abc`];
const TURNED = 'a \u202Egnp.exe';

describe('the names of rules in the console', () => {
  const browser = specBrowser();
  const open = scenes();

  it('are cut between characters, with … behind, and have no marks of direction in a list of choices', async () => {
    const { url, api } = await open.service();
    // Equal thresholds are one.
    for (const [value, name] of [...LONG, TURNED].entries()) {
      const condition = { cpu: { value, operand: 'greater' } };
      okBody(await api.call('POST', '/v1.0/demo/servers/web-1/rules', { ...ALWAYS, name, condition }));
    }
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'web-1' }).click();
    const named = page.getByRole('list', { name: 'Thresholds' }).first().locator('.whose');
    await named.nth(2).waitFor();
    const names = (await named.allInnerTexts()).map((name) => name.trim());
    expect(names)
      .to.include(`${'y'.repeat(79)}…`)
      .and.to.include(`${'z'.repeat(80)}…`);
    const main = await page.getByRole('main').innerText();
    expect(main)
      .to.include(`${'z'.repeat(159)}…`)
      .and.not.to.match(/U\+D83D|\p{Surrogate}/u);

    await page.getByRole('button', { name: 'Subscribe', exact: true }).first().click();
    const choices = page.getByLabel('Rule', { exact: true }).locator('option');
    await choices.nth(2).waitFor({ state: 'attached' });
    expect(await choices.allTextContents()).to.have.members([
      `${'y'.repeat(79)}…`,
      `${'z'.repeat(80)}…`,
      'a U+202Egnp.exe',
    ]);
  });
});
