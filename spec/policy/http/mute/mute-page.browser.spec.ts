import { expect } from 'chai';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  NARROW,
  specBrowser,
} from '../../../console/browser.js';
import { DRAFT, URL_1 } from '../../policy-scene.js';
import { linkScenes } from './link-scene.js';

const DAY = 86_400_000;
const LONG = `<b>${'busy'.repeat(50)}</b> \u202Erule`;

describe('the page of a link in a mail, in a browser', () => {
  const browser = specBrowser();
  const scene = linkScenes();

  it('mutes and unmutes on a phone, without a script', async () => {
    const link = (await scene.node()).linkOf();
    const page = await browser.open({ url: link, size: NARROW });
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Mute this rule' }).waitFor();
    expect(await page.getByRole('button').allTextContents()).to.deep.equal([
      'One hour',
      'One day',
      'Seven days',
    ]);
    await page.getByRole('button', { name: 'One day' }).click();
    await page.getByRole('heading', { level: 1, name: 'This rule is muted' }).waitFor();
    expect(await scene.mutedUntil()).to.equal(scene.policy.now + DAY);
    await page.getByText('Muted until 2026-01-16 12:00 UTC').waitFor();
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mute this rule' }).waitFor();
    expect(await scene.mutedUntil()).to.equal(undefined);
    expect(await page.locator('script').count()).to.equal(0);
  });

  it('is accessible in light and dark and fits a phone, with long names too', async () => {
    const { policy } = scene.policy;
    const [ruleId = ''] = await policy.servers.addRules('acme', 'web-1', [{ ...DRAFT, name: LONG }]);
    const id = await scene.policy.add({ ruleId, url: URL_1 });
    const { linkOf } = await scene.node();
    await policy.mutes.mute({ tenantId: 'acme', serverId: 'web-1', subscriptionId: id }, { for: 60 });
    const page = await browser.open({ url: linkOf(), size: NARROW });
    browser.expectError(/404/);
    for (const one of [linkOf(), linkOf(id), `${linkOf()}x`]) {
      await page.goto(one);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
    }
    await page.goto(linkOf(id));
    await page.getByText(LONG).waitFor();
    expect(await page.locator('b').count()).to.equal(0);
  });

  it('has its own style: the browser applies it under the policy of the page', async () => {
    const link = (await scene.node()).linkOf();
    for (const [scheme, colour] of [
      ['light', 'rgb(246, 247, 249)'],
      ['dark', 'rgb(13, 16, 21)'],
    ] as const) {
      const page = await browser.open({ url: link, scheme });
      await page.goto(link);
      const ground = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      expect(ground).to.equal(colour);
    }
  });
});
