import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { reservedPort } from '../servers/ports.js';
import { addSubscribedRule, ALWAYS, arrived, cpu, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import {
  expectNoAxeViolations,
  expectNoSidewaysScroll,
  logInAsTenant,
  NARROW,
  specBrowser,
} from './browser.js';

const run = promisify(execFile);

/** Opens the overview. */
async function overview(page: Page): Promise<void> {
  await page.goto('/console');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.locator('.connection.live').waitFor();
}

describe('the overview of the console', () => {
  const browser = specBrowser();
  const scene = scenes();

  it('shows the first steps on an empty service; pasted into a shell, they end in a firing on the page', async () => {
    const { url, api } = await scene.service();
    const receiver = await scene.receiver();
    const page = await browser.open({ url });
    await overview(page);
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await expectNoAxeViolations(page);
    const blocks = await page.locator('.steps pre').allInnerTexts();
    expect(blocks).to.have.length(4);
    expect(blocks[0]).to.contain(`base=${url} tenant=demo`);
    const lines = blocks
      .join('\n')
      .split('\n')
      // The receiver is the spec's.
      .filter((line) => !line.startsWith('node -e'))
      .join('\n')
      .replace('http://localhost:9000', receiver.origin);

    const { stdout } = await run('bash', ['-e', '-c', lines]);
    expect(stdout).to.contain('{"id":5,"title":"1 fact taken, 1 firing"}');

    const row = page.locator('.troubles > li').first();
    await row.waitFor();
    const href = (await row.getByRole('link', { name: 'web-1', exact: true }).getAttribute('href'))!;
    expect(href).to.match(/^\/console\/servers\/\w+\/web-1$/);
    expect(await row.innerText()).to.contain('busy');
    const server = await page.context().request.get('/console/api' + href.slice('/console'.length));
    const { rules } = (await server.json()) as { rules: { ruleId: string }[] };
    const explained = await api.call('GET', `/v1.0/demo/servers/web-1/rules/${rules[0]!.ruleId}/explain`);
    const { subscriptions } = explained.body as unknown as { subscriptions: { sentence: string }[] };
    expect(await row.locator('.trouble-sentence').innerText()).to.equal(subscriptions[0]!.sentence);
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' });
    await expectNoAxeViolations(page);
    await arrived(receiver, 1);
  });

  it('fills in the tenant that is logged in, who sees no figures of the whole service', async () => {
    const { url } = await scene.service();
    const page = await browser.open({ url });
    await logInAsTenant(page);
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    const session = await page.context().request.get('/console/api/session');
    const { viewer } = (await session.json()) as { viewer: { tenantId: string } };
    const lines = await page.locator('.steps pre').first().innerText();
    expect(lines).to.contain(`tenant=${viewer.tenantId}`);
    expect(await page.getByText('Facts/s').count()).to.equal(0);
    expect(await page.getByRole('button', { name: 'Play the CPU series' }).count()).to.equal(0);
    await expectNoAxeViolations(page);
  });

  it('counts dead letters as they come, and leads to them', async () => {
    const { url, api } = await scene.service();
    const refusing = await scene.receiver((response) => response.writeHead(404).end());
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', refusing.origin);
    const page = await browser.open({ url });
    await overview(page);
    const figure = page.getByRole('link', { name: 'Dead letters' });
    expect(await figure.locator('.figure-value').innerText()).to.equal('0');
    await cpu(api, 'web-1', 99);
    await figure.locator('.figure-value.bad').waitFor();
    expect(await figure.locator('.figure-value').innerText()).to.equal('1');
    expect(await figure.getAttribute('href')).to.equal('/console/deliveries?state=dead');
  });

  it('counts the servers by state, and has one row for a rule that fires on many, which opens', async () => {
    const { url, api } = await scene.service();
    const receiver = await scene.receiver();
    await windowSize(api, 1);
    const page = await browser.open({ url });
    for (let i = 0; i < 9; i += 1) {
      await addSubscribedRule(api, `web-${i}`, receiver.origin);
      await cpu(api, `web-${i}`, 99);
      if (i > 0) continue;
      await overview(page);
      await page.getByRole('link', { name: 'firing 1' }).waitFor();
      expect(await page.locator('.troubles > li').innerText()).to.match(/web-0 always[^]*cpu 99 ≥ 0/);
    }
    await page.getByRole('link', { name: 'firing 9' }).waitFor();
    const group = page.locator('.trouble-group');
    await group.getByText('always: 9 servers').click();
    expect(await group.locator('.trouble').count()).to.equal(5);
    await group.getByRole('link', { name: 'All 9 servers' }).waitFor();
    await eventually(
      async () => (await page.title()) === '(9) Overview · Mirzam' || undefined,
      SOON_MS,
      () => 'the title does not say 9',
    );
  });

  it('names a dependency that is down, and how long it has been', async () => {
    const { url } = await scene.service({ SMTP_URL: `smtp://127.0.0.1:${await reservedPort()}` });
    const page = await browser.open({ url });
    await overview(page);
    await page.getByText('mail is down').waitFor();
    await expectNoAxeViolations(page);
  });

  it('shows names with markup, marks of direction and many characters as text, at 380 px too', async () => {
    const { url, api } = await scene.service();
    const receiver = await scene.receiver();
    const name = `<img src=x onerror="throw 1">\u202Egnp.${'long'.repeat(50)}`;
    await windowSize(api, 1);
    await addSubscribedRule(api, 'web-1', receiver.origin, { ...ALWAYS, name });
    await cpu(api, 'web-1', 99);
    const page = await browser.open({ url, size: NARROW });
    await overview(page);
    const shown = page.locator('.troubles .trouble-names strong');
    await shown.waitFor();
    const text = await shown.innerText();
    expect(text).to.contain('<img src=x onerror="throw 1">U+202Egnp.long');
    expect(text).to.not.contain('\u202E');
    expect(await page.locator('main img').count()).to.equal(0);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });
});
