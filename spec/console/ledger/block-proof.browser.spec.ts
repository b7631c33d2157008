import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { verifyProof } from '../../../src/library/proof.js';
import { building, ENTITIES, receiptIn, sharedLedger, UPSERT } from '../../e2e/ledger/scene.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from '../browser.js';

describe('the proof up to the block in the console', () => {
  const browser = specBrowser();
  const ledger = sharedLedger({ LEDGER_FINALITY: '2' });

  const open = async (hash: string, size?: readonly [number, number]): Promise<Page> => {
    const page = await browser.open({ url: ledger().url, ...(size && { size }) });
    await page.goto(`/console/ledger/receipts/${hash}`);
    return page;
  };
  const showButton = (page: Page) => page.getByRole('button', { name: 'Show the proof up to the block' });
  const downloaded = async (page: Page): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the proof file' }).click(),
    ]);
    expect(download.suggestedFilename()).to.match(/^0x[0-9a-f]{16}\.proof\.json$/);
    return readFile(await download.path(), 'utf8');
  };

  it('says from which block on it is there, then draws it, and downloads its file', async () => {
    const entity = building();
    const { transactionHash, blockHash, blockNumber } = receiptIn(
      await ledger().ask(`POST ${ENTITIES}`, entity),
    );
    browser.expectError(/409 \(Conflict\)/);
    const page = await open(transactionHash);
    await showButton(page).click();
    await page.getByText(`it is from block ${blockNumber + 1} on`).waitFor();
    await ledger().anvil.rpc('evm_mine');
    await page.reload();
    const steps = page.getByRole('list', { name: 'The same, step by step, from the content to the block' });
    await steps.waitFor();
    expect(await steps.innerText()).to.contain(blockHash);
    const drawn = await page.locator('.proof-tree title').allTextContents();
    expect(drawn).to.include(`block: ${blockHash}`);
    expect(drawn.map((title) => title.split(':')[0])).to.deep.equal(
      'block,header,receiptsRoot,receipt,event,content,transactionsRoot,transaction,signed by'.split(','),
    );
    await expectNoAxeViolations(page);
    expect(verifyProof(await downloaded(page), { entity }, { blockHash })).to.have.property('verified', true);
  });

  it('is that of the chosen entry of a batch, also at 380 px', async () => {
    const entities = [building(), building(), building()];
    const { transactionHash, blockHash } = receiptIn(await ledger().ask(`POST ${UPSERT}`, entities));
    await ledger().anvil.rpc('evm_mine');
    const page = await open(transactionHash, NARROW);
    await page.getByRole('button', { name: 'Show the proof of entry 2' }).click();
    await showButton(page).click();
    await page.getByRole('link', { name: 'Download the proof file' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    const [, entity] = entities;
    expect(verifyProof(await downloaded(page), { entity }, { blockHash })).to.have.property('verified', true);
  });
});
