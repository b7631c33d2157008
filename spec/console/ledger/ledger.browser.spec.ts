import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { anyId, building, ENTITIES, receiptIn, sharedLedger, UPSERT } from '../../e2e/ledger/scene.js';
import { FREE_CHAIN } from '../../servers/chain.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from '../browser.js';
import { pageModule } from '../../web/forms/page-module.js';

const run = promisify(execFile);

/** Markup, and a mark that turns the direction of text. */
const HOSTILE = `<img src=x onerror="document.title='caught'">\u202Egnp.exe`;
/** Ids are IRIs: they have no markup, but marks of direction and length. */
const IDS = [`urn:x:\u2067${'\u05d0'.repeat(20)}:gnp.exe`, `urn:x:${'x'.repeat(2_000)}`];

describe('the ledger in the console', () => {
  const browser = specBrowser();
  const ledger = sharedLedger({ EXPLORER_URL: 'https://explorer.example/' });

  const open = async (path: string, size?: readonly [number, number]): Promise<Page> => {
    const page = await browser.open({ url: ledger().url, ...(size && { size }) });
    await page.goto(path);
    return page;
  };
  const record = async (id = anyId(), name?: string) =>
    receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id, name)));
  const receiptPath = (hash: string): string => `/console/ledger/receipts/${hash}`;

  it('shows a receipt without reload, from the list of entities to each field', async () => {
    const page = await open('/console/ledger');
    await page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor();
    const id = anyId();
    const { transactionHash, blockNumber, from } = await record(id);
    await page.getByRole('link', { name: id }).click();
    await page.getByRole('table', { name: 'Transactions, newest first' }).waitFor();
    const update = receiptIn(await ledger().ask(`POST /ngsi-ld/v1/entities/${id}/attrs`, { n: 1 }));
    const shown = page.locator('tbody tr');
    await shown.nth(1).waitFor();
    expect(await shown.nth(0).innerText()).to.contain('update');
    await page.locator(`a[href="${receiptPath(update.transactionHash)}"]`).waitFor();
    await page.locator(`a[href="${receiptPath(transactionHash)}"]`).click();
    await page.getByRole('heading', { name: 'Receipt 0x' }).waitFor();
    const details = await page.locator('.detail-list').innerText();
    for (const text of [transactionHash, from, String(blockNumber), id]) expect(details).to.contain(text);
    const fields = page.getByRole('table', { name: 'Fields of the receipt' });
    expect(await fields.innerText()).to.contain('The account that signed the transaction and paid for it.');
    await expectNoAxeViolations(page);
  });

  it('links a transaction to the block explorer', async () => {
    const { transactionHash } = await record();
    const page = await open(receiptPath(transactionHash));
    const link = page.getByRole('link', { name: 'See it in the block explorer' });
    expect(await link.getAttribute('href')).to.equal(`https://explorer.example/tx/${transactionHash}`);
    expect(await link.getAttribute('rel')).to.equal('noreferrer');
    await expectNoAxeViolations(page);
  });

  it('shows how many blocks are missing until a transaction is final', async () => {
    const { transactionHash } = await record();
    const page = await open(receiptPath(transactionHash), NARROW);
    await page.getByText('1 of 12 blocks until it is final').waitFor();
    const progress = page.getByRole('progressbar', { name: 'Blocks until the block is final' });
    expect(await progress.getAttribute('value')).to.equal('1');
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await ledger().anvil.rpc('anvil_mine', ['0x3']);
    await page.getByText('4 of 12 blocks until it is final').waitFor();
    await ledger().anvil.rpc('anvil_mine', ['0x8']);
    await page.getByText('12 confirmations').waitFor();
    expect(await progress.count()).to.equal(0);
  });

  it('shows a line for an empty ledger that records an entity', async () => {
    const { entityLines } = (await pageModule('curl/entity.ts')) as unknown as {
      entityLines: (publicUrl: string) => string;
    };
    const { stdout } = await run('bash', ['-e', '-c', entityLines(ledger().url)]);
    expect(JSON.parse(stdout)).to.include({ statusOK: true });
  });

  it('finds an entity by a part of its id', async () => {
    const id = anyId('Rare');
    await record(id);
    await record();
    const page = await open('/console/ledger');
    await page
      .getByRole('searchbox', { name: 'Search by a part of the id' })
      .fill(id.slice(-12).toUpperCase());
    await page.waitForURL(/query=/);
    await page.getByRole('link', { name: id }).waitFor();
    const rows = page.locator('tbody tr');
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await rows.count()).to.equal(1);
    await expectNoAxeViolations(page);
  });

  it('draws the proof of an entry of a batch, up to the root on the chain', async () => {
    const entities = Array.from({ length: 130 }, () => building());
    const { transactionHash, logs } = receiptIn(await ledger().ask(`POST ${UPSERT}`, entities));
    const root = logs[0]!.topics[2]!;
    const page = await open(receiptPath(transactionHash));
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('button', { name: 'Show the proof of entry 78' }).click();
    await page.getByText('The proof leads to the root on the chain.').waitFor();
    const steps = page.getByRole('list', { name: 'The same, step by step' });
    expect(await steps.innerText()).to.contain(root);
    // The root is drawn once, a node and its sibling on each floor below.
    const drawn = await page.locator('.proof-tree title').allTextContents();
    const floors = await steps.getByText('keccak256(0x').count();
    expect(drawn).to.have.lengthOf(2 * floors + 1);
    expect(drawn.filter((title) => title === `root: ${root}`)).to.have.lengthOf(1);
    expect(await page.locator('.proof').innerText()).to.contain(entities[77]!.id);
    await expectNoAxeViolations(page);
  });

  it('shows marks of direction, markup and long texts as text', async () => {
    for (const id of IDS) await record(id);
    const q = `name=="${HOSTILE}${'x'.repeat(3_000)}"`;
    const related = encodeURI(IDS[0]!);
    const asked = `GET ${ENTITIES}?q=${encodeURIComponent(q)}`;
    receiptIn(await ledger().ask(asked, undefined, { 'Related-Entity': related }));
    const page = await open('/console/ledger', NARROW);
    await page.getByText('U+2067').first().waitFor();
    await expectNoSidewaysScroll(page);
    await page.goto(`/console/ledger/entities/${encodeURIComponent(related)}`);
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByText('onerror').first().waitFor();
    await page
      .getByRole('button', { name: /show all/ })
      .first()
      .click();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.goto(`/console/ledger?query=${encodeURIComponent(HOSTILE)}`);
    await page.getByText('U+202E').waitFor();
    await page.goto('/console/ledger/verify');
    await page.getByLabel('Entity, as it was sent').fill(`{"id": "urn:x:y", ${JSON.stringify(HOSTILE)}: }`);
    await page.getByRole('button', { name: 'Ask the chain' }).click();
    await page.locator('.field .error').filter({ hasText: 'JSON' }).waitFor();
    expect(await page.locator('main img').count()).to.equal(0);
    expect(await page.title()).to.equal('Verify · Mirzam');
  });

  it('says why a transaction in a block has recorded nothing', async () => {
    const { anvil, contract } = ledger();
    const code = await anvil.rpc('eth_getCode', [contract, 'latest']);
    await anvil.rpc('anvil_setCode', [contract, '0x00']);
    const id = anyId();
    const { transactionHash, statusOK, additionalInformation } = await record(id);
    await anvil.rpc('anvil_setCode', [contract, code]);
    expect(statusOK).to.equal(false);
    const page = await open(receiptPath(transactionHash));
    const details = page.locator('.detail-list');
    await details.getByText('Nothing recorded because').waitFor();
    const texts = await details.innerText();
    for (const text of ['failed', additionalInformation['reason'] as string]) expect(texts).to.contain(text);
    const fields = page.getByRole('table', { name: 'Fields of the receipt' });
    expect(await fields.innerText()).to.contain(additionalInformation['reason']);
    await expectNoAxeViolations(page);
    await page.goto(`/console/ledger?query=${encodeURIComponent(id)}`);
    await page.getByText('create (failed)').waitFor();
  });

  it('is used by keyboard alone', async () => {
    const id = anyId();
    const { transactionHash } = await record(id);
    const page = await open('/console/ledger');
    const link = page.getByRole('link', { name: id });
    await link.waitFor();
    await link.focus();
    await page.keyboard.press('Enter');
    await page.locator(`a[href="${receiptPath(transactionHash)}"]`).waitFor();
    expect(await page.locator(':focus').innerText()).to.equal(id);
    for (let i = 0; i < 12; i += 1) {
      await page.keyboard.press('Tab');
      if ((await page.locator(':focus').getAttribute('href')) === receiptPath(transactionHash)) break;
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Receipt 0x' }).waitFor();
  });

  it('has every page usable at 380 px', async () => {
    const { transactionHash } = receiptIn(
      await ledger().ask(`POST ${UPSERT}`, [building(), building(), building()]),
    );
    for (const path of [
      '/console/ledger',
      `${receiptPath(transactionHash)}?proof=1`,
      '/console/ledger/verify',
      '/console/ledger/accounts',
    ]) {
      const page = await open(path, NARROW);
      await page.locator('.detail-list, form, .section').first().waitFor();
      if (path.includes('proof')) await page.locator('.proof-tree').waitFor();
      await expectNoSidewaysScroll(page);
      await expectNoAxeViolations(page);
    }
  });
});

describe('the accounts in the console', () => {
  const browser = specBrowser();
  // No block comes by itself: a transaction waits until the spec has one made.
  const ledger = sharedLedger({ LEDGER_WAIT_S: '1' }, [...FREE_CHAIN, '--no-mining']);

  it('show the nonce of a transaction that waits, and why, until it is in a block', async () => {
    const answer = await ledger().ask(`POST ${ENTITIES}`, building());
    expect(answer.status).to.equal(504);
    const page = await browser.open({ url: ledger().url });
    await page.clock.install();
    await page.goto('/console/ledger/accounts');
    const open = page.getByRole('table', { name: /Pending nonces/ });
    await open.waitFor();
    expect(await open.innerText()).to.contain(String(answer.body['transactionHash']).slice(0, 8));
    await expectNoAxeViolations(page);
    const state = page.locator('.section-note .badge');
    expect(await state.innerText()).not.to.equal('waiting');
    await page.clock.fastForward(61_000);
    await state.getByText('waiting').waitFor();
    await expectNoAxeViolations(page);
    await ledger().anvil.rpc('evm_mine');
    await page.getByText('No pending nonce: every transaction is in a block.').waitFor();
    await state.getByText('idle').waitFor();
  });
});
