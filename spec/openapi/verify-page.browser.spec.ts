import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { expectNoAxeViolations, expectNoSidewaysScroll, specBrowser } from '../console/browser.js';
import { scenes } from '../e2e/scene.js';
import { mutationsOf } from '../ledger/proof-file/mutations.js';
import { allVectors } from '../ledger/proof-file/vector-files.js';
import { until } from '../ledger/scene.js';
import { byPage, openVerifyPage, PAGE_FILE } from '../ledger/proof-file/page-verifier.js';
import { goodVectors, largeVector, type Vector } from '../ledger/proof-file/vectors.js';

/** PROOF_MUTATIONS=full makes as many as a release needs. */
const COUNT = process.env['PROOF_MUTATIONS'] === 'full' ? 200 : 30;

describe('the page /verify', () => {
  const browser = specBrowser();
  const open = scenes();

  it('verifies chosen files from a saved copy on a phone, and asks nobody', async () => {
    const page = await openVerifyPage(browser);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    const example = (name: string): string =>
      fileURLToPath(new URL(`../../../examples/proofs/${name}/create.json`, import.meta.url));
    await page.getByLabel('Choose a proof file').setInputFiles(example('files'));
    await page.getByLabel('Choose the content').setInputFiles(example('contents'));
    await page.getByRole('button', { name: 'Verify' }).click();
    const result = page.getByRole('status');
    await result.getByText('VERIFIED under the block hash 0x').waitFor();
    expect(await result.getByRole('listitem').count()).to.equal(9);
    await expectNoSidewaysScroll(page);
    await expectNoAxeViolations(page);
    await page.getByLabel('Contract').fill(`0x${'0c'.repeat(20)}`);
    expect(await result.innerText()).to.equal('');
    await page.keyboard.press('Enter');
    await result.getByText('NOT VERIFIED: the step expected fails').waitFor();
    await expectNoAxeViolations(page);
    await page.getByLabel('Contract').fill('me');
    await page.keyboard.press('Enter');
    await result.getByText('The contract must be 0x and 40 hexadecimal digits.').waitFor();
  });

  it('has the verdict of the other verifiers on each test vector', async () => {
    // The page knows the kind of the content by the file: a reader cannot name another one. Its fields have texts.
    const named = new Set(['entity-for-an-update', 'update-given-as-entity']);
    const all = [...(await allVectors()), await largeVector(130_000)];
    const vectors = all.filter(({ name, bytes }) => !named.has(name) && bytes === undefined);
    const texts = await byPage(await openVerifyPage(browser), vectors);
    for (const [i, { name, step }] of vectors.entries())
      expect(texts[i], name).to.match(
        step === undefined ? /^VERIFIED under/ : new RegExp(`^NOT VERIFIED: the step ${step} fails`),
      );
  });

  it('keeps the byte order mark of a chosen file, so that a second one is refused', async () => {
    const page = await openVerifyPage(browser);
    const [{ file, content }] = (await goodVectors()) as [Vector];
    const choose = (label: string, text: string): Promise<void> =>
      page
        .getByLabel(label)
        .setInputFiles({ name: 'chosen.json', mimeType: 'application/json', buffer: Buffer.from(text) });
    await choose('Choose a proof file', file);
    for (const [marks, result] of [
      ['\uFEFF', 'VERIFIED under the block hash 0x'],
      ['\uFEFF\uFEFF', 'NOT VERIFIED: the step content fails'],
    ] as const) {
      await choose('Choose the content', `${marks}${content}`);
      await until(async () =>
        expect(await page.locator('#content').inputValue()).to.equal(`${marks}${content}`),
      );
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByRole('status').getByText(result).waitFor();
    }
  });

  it(`refuses ${COUNT} random changes`, async () => {
    const seed = Math.floor(Math.random() * 1e9);
    console.log(`        seed ${seed}`);
    const mutations = Array.from({ length: COUNT }, mutationsOf(await goodVectors(), seed));
    const texts = await byPage(
      await openVerifyPage(browser),
      mutations.map(({ vector }) => vector),
    );
    for (const [i, { what }] of mutations.entries())
      expect(texts[i], `seed ${seed}, ${what}`).to.match(/^(?:NOT VERIFIED|The .* is missing\.$)/);
  });

  it('is served as the file of the package, with its policy, and runs there', async () => {
    const { url } = await open.service({});
    const answer = await fetch(`${url}/verify`);
    const text = await readFile(PAGE_FILE, 'utf8');
    expect(await answer.text()).to.equal(text);
    expect(answer.headers.get('content-security-policy')).to.match(
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; frame-ancestors 'none'$/,
    );
    // Nothing in the file names another one.
    expect(text.replaceAll(/<!--[^]*?-->/g, '')).not.to.match(
      /\b(?:src|srcset|action)=|@import|url\(|<link rel="(?!icon" href="data:)/,
    );
    const page = await openVerifyPage(browser, `${url}/verify`);
    const [good] = await goodVectors();
    expect((await byPage(page, [good!]))[0]).to.match(/^VERIFIED under/);
  });
});
