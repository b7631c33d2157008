import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { request } from '../e2e/api-client.js';
import { building, ENTITIES, openLedger, UPSERT } from '../e2e/ledger/scene.js';
import type { LedgerService } from '../e2e/ledger/scene.js';
import { specBrowser } from './browser.js';

/** docs/images; a spec runs from dist/spec/console. */
const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
/** `PICTURES=write` writes the pictures of the README; otherwise they must be there in this size. */
const WRITES = process.env['PICTURES'] === 'write';
const SIZE = [1280, 760] as const;

describe('the pictures of the README', function () {
  this.timeout(120_000);
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
    // The version of a spec is no release.
    await page.evaluate('document.querySelector(".version span").remove()');
    const taken = await page.screenshot({ animations: 'disabled' });
    const file = `${FOLDER}${name}-${scheme}.png`;
    if (WRITES) {
      await mkdir(FOLDER, { recursive: true });
      await writeFile(file, taken);
    }
    expect(sizeOf(await readFile(file)), file).to.deep.equal(SIZE);
  };

  it('show a server and the proof of a batch as they are', async () => {
    const demo = async () => (await request(`${ledger.url}/console/api/demo`, 'GET')).body as unknown as Demo;
    await request(`${ledger.url}/console/api/demo`, 'POST');
    const { tenantId, serverId } = await demo();
    // The series of a page grows from when it is opened.
    await picture('server', 'light', `/console/servers/${tenantId}/${serverId}`, async (page) => {
      await page.getByText('Holds since').first().waitFor();
      // Some facts later the mean has crossed the threshold in the middle of the series.
      await page
        .locator('main')
        .getByText(/firings\s*[2-9]\d/)
        .first()
        .waitFor();
    });
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

interface Demo {
  readonly tenantId: string;
  readonly serverId: string;
}

/** Returns width and height of a PNG (ISO 15948, 11.2.1). */
function sizeOf(png: Buffer): readonly number[] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
