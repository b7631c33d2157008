import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { NARROW, type SpecBrowser } from '../../console/browser.js';
import type { Vector } from './vectors.js';

/** The page of the package. */
export const PAGE_FILE = new URL('../../../../deploy/verify.html', import.meta.url);

/** Has the page verify vectors as a reader does: texts into the fields, then the button. */
const VERIFY_ALL = `(vectors) => vectors.map(({ file, content, expected = {} }) => {
  for (const [id, text] of Object.entries({ proof: file, content, blockHash: '', contract: '', from: '', ...expected }))
    document.getElementById(id).value = text;
  document.querySelector('button').click();
  return document.getElementById('result').innerText;
})`;

/** Opens the page on a phone, from its file unless an address is given. Expects that it asks for nothing else. */
export async function openVerifyPage(browser: SpecBrowser, address = PAGE_FILE.href): Promise<Page> {
  const page = await browser.open({ url: address, size: NARROW });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  await page.getByRole('button', { name: 'Verify' }).waitFor();
  expect(requests.filter((url) => !url.startsWith('data:'))).to.deep.equal([address]);
  return page;
}

/** Returns what the page shows for each vector, in their order. */
export function byPage(page: Page, vectors: readonly Vector[]): Promise<string[]> {
  return page.evaluate(`(${VERIFY_ALL})(${JSON.stringify(vectors)})`);
}
