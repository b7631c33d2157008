import type { Page } from 'playwright-core';
import { logInAsTenant, navigationLink, type SpecBrowser } from '../browser.js';

/** Logs in as a tenant and opens the page of its rules. */
export async function rulesPage(browser: SpecBrowser, url: string): Promise<Page> {
  const page = await browser.open({ url });
  await logInAsTenant(page);
  await navigationLink(page, 'Rules').click();
  await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
  return page;
}
