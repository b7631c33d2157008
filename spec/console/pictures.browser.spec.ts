import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { readSeries } from '../../src/console/demo/series.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { building, ENTITIES, type LedgerService, openLedger, UPSERT } from '../e2e/ledger/scene.js';
import { addSubscribedRule, factsBody, okBody, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { logInAsOperator, specBrowser } from './browser.js';

/** docs/images; a spec runs from dist/spec/console. */
const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
/** `PICTURES=write` writes the pictures of the README; otherwise they must be there in their size. */
const WRITES = process.env['PICTURES'] === 'write';
const SIZE = [1280, 760] as const;
/** Measurements of the series, one for each minute of an hour: the load rises in the middle. */
const HOUR = { from: 3_545, to: 3_604 };
const MINUTE_MS = 60_000;
/** A token of operators, and a rule. */
const TOKEN = 'operator-token-of-more-than-32-characters';
const BUSY = {
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};
/** A phone. */
const MAIL_SIZE = [380, 800] as const;

describe('the pictures of the README', () => {
  const browser = specBrowser();
  let ledger: LedgerService;
  before(async () => {
    ledger = await openLedger();
  });
  after(() => ledger?.close());

  /** Takes the picture of a page in a scheme, or checks the one in the repository. */
  const picture = async (
    name: string,
    scheme: 'light' | 'dark',
    path: string,
    ready: (page: Page) => Promise<unknown>,
  ) => {
    const page = await browser.open({ url: ledger.url, size: SIZE, scheme });
    await page.goto(path);
    await ready(page);
    // The version of a spec is not a release.
    await page.evaluate('document.querySelector(".version span").remove()');
    await keep(page, `${name}-${scheme}`, SIZE);
  };

  it('show the proof of a batch as it is', async () => {
    for (let n = 0; n < 3; n += 1) await ledger.ask(`POST ${ENTITIES}`, building());
    const batch = await ledger.ask(
      `POST ${UPSERT}`,
      Array.from({ length: 12 }, () => building()),
    );
    const hash = String(batch.body['transactionHash']);
    await picture('proof', 'dark', `/console/ledger/receipts/${hash}?proof=7`, async (page) => {
      await page.getByText('The proof leads to the root on the chain.').waitFor();
      await page.locator('.proof').scrollIntoViewIfNeeded();
    });
  });
});

describe('the pictures of the console in the README', () => {
  const browser = specBrowser();
  const open = scenes();

  it('show a server with the last hour of a real machine', async () => {
    let behind = (HOUR.to - HOUR.from) * MINUTE_MS;
    const { url, api } = await open.service({}, () => Date.now() - behind);
    const { origin } = await open.receiver();
    await windowSize(api, 5);
    await addSubscribedRule(api, 'demo-cpu', origin, { ...BUSY, name: 'CPU load above 85 %' });
    const series = await readSeries();
    for (const { cpu } of series.slice(HOUR.from, HOUR.to)) {
      okBody(await api.call('POST', '/demo/servers/demo-cpu', factsBody({ cpuLoadPct: cpu })));
      behind -= MINUTE_MS;
    }
    const page = await browser.open({ url, size: SIZE, scheme: 'light' });
    await page.goto('/console/servers');
    await page.getByRole('link', { name: 'demo-cpu' }).click();
    await page.getByText('Holds since').first().waitFor();
    await page.getByText('in the last hour').first().waitFor();
    await page.evaluate('document.querySelector(".version span").remove()');
    await keep(page, 'server-light', SIZE);
  });

  it('shows a fleet in trouble as it is', async () => {
    let behind = 130 * 60_000;
    const settings = { OPERATOR_TOKEN: TOKEN, IDENTITY_USERS: 'demo:demo:demo,lagos:user:pass' };
    const { url, api } = await open.service(settings, () => Date.now() - behind);
    const { origin } = await open.receiver();
    const fleets: readonly (readonly [string, ApiClient])[] = [
      ['demo', api],
      ['lagos', await apiClient(url, 'lagos', 'user', 'pass')],
    ];
    for (const [tenant, own] of fleets) {
      okBody(await own.call('PUT', `/v1.0/${tenant}`, { windowsize: 1 }));
      const bound = async (rule: object, servers: readonly string[], values: readonly number[]) => {
        const ruleId = okBody(await own.call('POST', `/v1.0/${tenant}/rules`, { ...BUSY, ...rule }))[
          'ruleId'
        ];
        for (const [i, server] of servers.entries()) {
          const body = { ruleId, url: origin };
          okBody(await own.call('POST', `/v1.0/${tenant}/servers/${server}/subscription`, body));
          const cpuLoadPct = values[i % values.length]!;
          okBody(await own.call('POST', `/${tenant}/servers/${server}`, factsBody({ cpuLoadPct })));
          behind -= 20_000;
        }
      };
      const named = (name: string, count: number) =>
        Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);
      if (tenant === 'demo')
        await bound({ name: 'melting', labels: { severity: 'critical' } }, ['db-main'], [99.2]);
      await bound({ name: 'busy' }, named('web', 24), [91.5, 43, 88.25, 96, 52, 31]);
      await bound({ name: 'heartbeat', noData: 10 }, named('job', 9), [12]);
    }
    behind = Math.min(behind, 12 * 60_000);
    const page = await browser.open({ url, size: SIZE, scheme: 'light' });
    await page.goto('/console/login');
    await logInAsOperator(page, TOKEN);
    await page.goto('/console');
    await page.getByRole('link', { name: 'no data 18' }).waitFor();
    behind = 0;
    await page.reload();
    await page.getByText('heartbeat: 9 servers').first().waitFor();
    await page.evaluate('document.querySelector(".version span").remove()');
    await keep(page, 'overview-light', SIZE);
  });
});

describe('the picture of an e-mail in the README', () => {
  const browser = specBrowser();
  const open = scenes();

  it('shows a mail of the CPU series as a phone does', async () => {
    const { url, api } = await open.service();
    await windowSize(api, 30);
    await addSubscribedRule(api, 'web-1', 'http://127.0.0.1:9/', {
      name: 'busy',
      condition: { cpu: { value: 85, operand: 'greater', clear: 70 } },
      action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Add a machine, please.' },
    });
    const series = await readSeries();
    // The 30 values whose mean is the first above 85.
    const rise = series.slice(3_569, 3_599).map(({ cpu }) => ({ cpuLoadPct: cpu }));
    okBody(await api.call('POST', '/demo/servers/web-1', factsBody(...rise)));
    const page = await browser.open({ url, size: MAIL_SIZE, phone: true });
    await page.goto(`/console/mail/${await firstMail(api)}`);
    await page.getByRole('img', { name: 'Chart of cpu' }).waitFor();
    await keep(
      page,
      'mail-light',
      MAIL_SIZE.map((pixels) => 2 * pixels),
    );
  });
});

/** Resolves with the id of the first mail in the inbox. */
async function firstMail(api: ApiClient): Promise<string> {
  return eventually(
    async () => {
      const mails = okBody(await api.call('GET', '/operator/inbox')) as unknown as { readonly id: string }[];
      return mails[0]?.id;
    },
    SOON_MS,
    () => 'no mail came',
  );
}

/** Takes the picture of a page, or checks the one in the repository. */
async function keep(page: Page, name: string, size: readonly number[]): Promise<void> {
  const taken = await page.screenshot({ animations: 'disabled' });
  const file = `${FOLDER}${name}.png`;
  if (WRITES) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(file, taken);
  }
  expect(sizeOf(await readFile(file)), file).to.deep.equal(size);
}

/** Returns width and height of a PNG (ISO 15948, 11.2.1). */
function sizeOf(png: Buffer): readonly number[] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
