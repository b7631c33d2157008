import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { factsBody, okBody } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually } from '../faults/stage/eventually.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from './browser.js';

const TENANTS = ['berlin', 'lagos', 'quito'];
const SERVERS = 100;
/** Servers of each tenant whose rule has `noData`. */
const WATCHED = 90;
const NO_DATA_S = 20;
/** The time in which the overview has to say it, after the rules' own, ms. */
const LATE_MS = 3_000;

const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

/** Returns what is green in the page: elements in a colour of states that are good. */
const green = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`(() => {
    const probe = document.createElement('span');
    document.body.append(probe);
    const greens = ['--good', '--good-soft'].map((token) => {
      probe.style.color = 'var(' + token + ')';
      return getComputedStyle(probe).color;
    });
    probe.remove();
    return [...document.querySelectorAll('main *')]
      .filter((element) => {
        const { color, backgroundColor } = getComputedStyle(element);
        return greens.includes(color) || greens.includes(backgroundColor);
      })
      .map((element) => element.outerHTML.slice(0, 200));
  })()`);

/** Waits for the title of a page. */
async function titled(page: Page, title: string): Promise<void> {
  let last = '';
  await eventually(
    async () => (last = await page.title()) === title || undefined,
    LATE_MS,
    () => `the title is ${last}, not ${title}`,
  );
}

describe('the overview of a fleet whose broker dies', () => {
  const browser = specBrowser();
  const open = scenes();

  /** Sends one measurement of each server of a tenant, as its broker does. */
  const send = async (api: ApiClient, tenant: string): Promise<void> => {
    for (let i = 0; i < SERVERS; i += 1) {
      okBody(await api.call('POST', `/${tenant}/servers/web-${i}`, factsBody({ cpuLoadPct: 20 })));
    }
  };

  it('says how many servers have no data, in the title of the tab too, and nothing of it is green', async () => {
    const users = ['demo:demo:demo', ...TENANTS.map((name) => `${name}:user:pass`)];
    const { url } = await open.service({ IDENTITY_USERS: users.join(',') });
    const receiver = await open.receiver();
    const apis = await Promise.all(TENANTS.map((tenant) => apiClient(url, tenant, 'user', 'pass')));
    await Promise.all(
      TENANTS.map(async (tenant, t) => {
        const api = apis[t]!;
        okBody(await api.call('PUT', `/v1.0/${tenant}`, { windowsize: 1 }));
        const rules: string[] = [];
        for (const rule of [
          { ...BUSY, noData: NO_DATA_S },
          { ...BUSY, name: 'busy, no heartbeat' },
        ]) {
          rules.push(okBody(await api.call('POST', `/v1.0/${tenant}/rules`, rule))['ruleId']!);
        }
        await send(api, tenant);
        for (let i = 0; i < SERVERS; i += 1) {
          const body = { ruleId: rules[i < WATCHED ? 0 : 1], url: receiver.origin };
          okBody(await api.call('POST', `/v1.0/${tenant}/servers/web-${i}/subscription`, body));
        }
      }),
    );
    const page = await browser.open({ url });
    const other = await browser.open({ url });
    await other.goto('/console/deliveries');
    await page.goto('/console');
    await Promise.all(TENANTS.map((tenant, t) => send(apis[t]!, tenant)));
    // The broker is dead from here on.
    const diedAt = Date.now();
    await page.getByRole('link', { name: 'calm 300' }).waitFor();

    const silent = TENANTS.length * WATCHED;
    await page.getByRole('link', { name: `no data ${silent}` }).waitFor({ timeout: 40_000 });
    await titled(page, `(${silent}) Overview · Mirzam`);
    expect(Date.now() - diedAt).to.be.lessThan(NO_DATA_S * 1_000 + LATE_MS);
    expect(await green(page)).to.deep.equal([]);

    const groups = page.locator('.trouble-group');
    expect(await groups.count()).to.equal(TENANTS.length);
    expect(await groups.first().locator('summary').innerText()).to.match(
      /no data\s*busy: 90 servers of (?:berlin|lagos|quito)/,
    );
    await groups.first().locator('summary').click();
    await groups.first().getByText('No data: the last measurement came at').first().waitFor();
    await expectNoAxeViolations(page);
    expect(await green(page)).to.deep.equal([]);
    await page.setViewportSize({ width: NARROW[0], height: NARROW[1] });
    await expectNoSidewaysScroll(page);
    await titled(other, `(${silent}) Deliveries · Mirzam`);
    expect(await other.locator('link[rel="icon"]').getAttribute('href')).to.match(
      /^data:image\/svg\+xml,.*99/,
    );
  });
});
