import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { building, ENTITIES, receiptIn, sharedLedger, UPSERT } from '../../e2e/ledger/scene.js';
import { expectNoAxeViolations, expectNoSidewaysScroll, NARROW, specBrowser } from '../browser.js';

describe('the verification in the console', () => {
  const browser = specBrowser();
  const ledger = sharedLedger();

  const open = async (path: string, size?: readonly [number, number]): Promise<Page> => {
    const page = await browser.open({ url: ledger().url, ...(size && { size }) });
    await page.goto(path);
    return page;
  };

  it('verifies an entity, and refuses it with one number changed', async () => {
    const entity = { ...building(), height: { type: 'Property', value: 4711 } };
    const { transactionHash, from } = receiptIn(await ledger().ask(`POST ${ENTITIES}`, entity));
    const page = await open(`/console/ledger/receipts/${transactionHash}`);
    await page.getByRole('link', { name: 'Verify content' }).click();
    const content = page.getByLabel('Entity, as it was sent');
    await content.fill(JSON.stringify(entity));
    await page.getByRole('button', { name: 'Ask the chain' }).click();
    const verdict = page.getByRole('region', { name: 'Answer of the chain' });
    await verdict.getByText('Verified: the chain has recorded exactly this.').waitFor();
    expect(await verdict.innerText()).to.contain(from);
    await expectNoAxeViolations(page);
    await content.fill(JSON.stringify(entity).replace('4711', '4712'));
    await page.getByRole('button', { name: 'Ask the chain' }).click();
    await verdict.getByText('Not verified.').waitFor();
    const said = page.locator('p[role="status"]', { hasText: 'Not verified: the transaction has recorded' });
    await said.waitFor();
    // It would cover the answer on a narrow screen.
    expect(await page.locator('.status-message').count()).to.equal(0);
    expect(await verdict.innerText()).to.contain('The transaction has recorded other content');
    await expectNoAxeViolations(page);
    await content.fill('{');
    await page.getByRole('button', { name: 'Ask the chain' }).click();
    await page.locator('.field .error', { hasText: 'JSON' }).waitFor();
    await said.waitFor({ state: 'detached' });
    expect(await verdict.count()).to.equal(0);
  });

  it('says the hash of what was pasted, not the root of its batch, and which entry has this id', async () => {
    const entities = [building(), building(), building()];
    const { transactionHash, additionalInformation } = receiptIn(
      await ledger().ask(`POST ${UPSERT}`, entities),
    );
    const recorded = additionalInformation.entities!;
    const page = await open(`/console/ledger/verify?transaction=${transactionHash}`);
    const content = page.getByLabel('Entity, as it was sent');
    const verdict = page.getByRole('region', { name: 'Answer of the chain' });
    const ask = (): Promise<void> => page.getByRole('button', { name: 'Ask the chain' }).click();
    const shown = (name: string) =>
      verdict.locator('dl > div', { hasText: name }).locator('code').innerText();
    await content.fill(JSON.stringify(entities[1]));
    await ask();
    await verdict.getByText('Verified').waitFor();
    expect(await shown('Hash of what you pasted')).to.equal(recorded[1]!.hash);
    expect(await shown('Root of the batch')).to.equal(additionalInformation.hash);
    await content.fill(JSON.stringify({ ...entities[1], altered: 1 }));
    await ask();
    await verdict.getByText('Entry 2 of the batch has this id, with another hash').waitFor();
    expect(await shown('Hash of what you pasted')).not.to.equal(recorded[1]!.hash);
    expect(await verdict.locator(`code[title="${recorded[1]!.hash}"]`).count()).to.equal(1);
    await content.fill(JSON.stringify(building()));
    await ask();
    await verdict.getByText('No entry of the batch has this id.').waitFor();
  });

  it('compares an array entity by entity', async () => {
    const entities = [building(), building(), building()];
    const { transactionHash, additionalInformation } = receiptIn(
      await ledger().ask(`POST ${UPSERT}`, entities),
    );
    const page = await open(`/console/ledger/verify?transaction=${transactionHash}`, NARROW);
    const content = page.getByLabel('Entity, as it was sent');
    const verdict = page.getByRole('region', { name: 'Answer of the chain' });
    const rows = verdict.getByRole('table').locator('tbody tr');
    const ask = (): Promise<void> => page.getByRole('button', { name: 'Ask the chain' }).click();
    await content.fill(JSON.stringify(entities));
    await ask();
    await verdict.getByText('Verified: the chain has recorded exactly this.').waitFor();
    expect(await rows.count()).to.equal(3);
    for (const { hash } of additionalInformation.entities!)
      expect(await rows.locator(`code[title="${hash}"]`).count()).to.equal(1);
    await content.fill(JSON.stringify([entities[0], { ...entities[2], altered: 1 }]));
    await ask();
    await verdict.getByText('1 of 2 entities are not verified.').waitFor();
    const first = rows.first();
    await first.getByText('Entry 3 of the batch has this id, with another hash').waitFor();
    expect(await first.innerText()).to.contain(entities[2]!.id);
    expect(await rows.nth(1).innerText()).to.match(/verified/);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await first.getByRole('link', { name: 'Entry 3' }).click();
    await page.getByText('The proof leads to the root on the chain.').waitFor();
    await page.goBack();
    await page.getByLabel('Hash of the transaction').waitFor();
  });

  it('takes the proof of an entry of a batch, and says what is wrong with an entry that was altered', async () => {
    const entities = [building(), building(), building()];
    const { transactionHash, additionalInformation } = receiptIn(
      await ledger().ask(`POST ${UPSERT}`, entities),
    );
    const { proof } = additionalInformation.entities![1]!;
    const page = await open('/console/ledger/verify', NARROW);
    await page.getByLabel('Hash of the transaction').fill(transactionHash);
    const content = page.getByLabel('Entity, as it was sent');
    const verdict = page.getByRole('region', { name: 'Answer of the chain' });
    const ask = (): Promise<void> => page.getByRole('button', { name: 'Ask the chain' }).click();
    await content.fill(JSON.stringify({ ...entities[1], altered: 1 }));
    await ask();
    await verdict
      .getByText('no entry is exactly this, or the proof of its receipt has to be given')
      .waitFor();
    await page.getByLabel('Proof of the entry').fill(JSON.stringify(proof));
    await ask();
    await verdict.getByText('the proof does not lead from this content').waitFor();
    await content.fill(JSON.stringify(entities[1]));
    await ask();
    await verdict.getByText('Verified: the chain has recorded exactly this.').waitFor();
    await page.getByLabel('Proof of the entry').fill('["0x12"]');
    // The answer was about another proof.
    await verdict.waitFor({ state: 'detached' });
    browser.expectError(/400/);
    await ask();
    await page.locator('.field .error', { hasText: 'proof' }).waitFor();
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
  });

  it('shows the problems of a verification beside their fields, the cursor in the first', async () => {
    const page = await open('/console/ledger/verify');
    const ask = (): Promise<void> => page.getByRole('button', { name: 'Ask the chain' }).click();
    await ask();
    const wrong = page.locator('[aria-invalid="true"]');
    await wrong.nth(1).waitFor();
    await wrong.and(page.locator(':focus')).waitFor();
    await page.getByLabel('Hash of the transaction').fill('0x12');
    // Parsing and writing it again would hide the second name.
    await page.getByLabel('Entity, as it was sent').fill('{"id": "urn:x:y", "type": "T", "a": 1, "a": 2}');
    browser.expectError(/400/);
    await ask();
    await page
      .locator('.field .error')
      .filter({ hasText: /transactionHash|entity/ })
      .first()
      .waitFor();
    await page.getByLabel('Hash of the transaction').fill(`0x${'0'.repeat(64)}`);
    await ask();
    await page
      .locator('.field .error')
      .filter({ hasText: /entity.*"?a"?/ })
      .waitFor();
    await page.getByLabel('Entity, as it was sent').fill('{"id": "urn:x:y", "type": "T", "a": 1}');
    browser.expectError(/404/);
    await ask();
    await page.locator('.field .error').filter({ hasText: 'the chain knows no transaction' }).waitFor();
    await expectNoAxeViolations(page);
  });
});
