import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { eventually, SOON_MS } from '../faults/stage/eventually.js';
import { startChromium } from '../servers/chromium.js';

/** A browser window of a spec. */
export interface Window {
  /** Address of the service; a path given to `goto` is below it. */
  readonly url: string;
  /** Width and height in CSS pixels: 1280 by 860 unless given. */
  readonly size?: readonly [number, number];
  readonly scheme?: 'light' | 'dark';
  /** A phone: pages that do not ask for its width are laid out wider, and it has two pixels for each CSS pixel. */
  readonly phone?: boolean;
}

/** Chromium for the specs of one `describe`: one browser, a context of its own for each window. */
export interface SpecBrowser {
  /** Opens a window with no cookies. Whatever goes wrong in it fails the spec, unless it is expected. */
  open(window: Window): Promise<Page>;
  /** Says that this error, which the spec causes, may appear: a request refused, a connection cut. */
  expectError(message: RegExp): void;
}

/** Narrow screen: the smallest that the console supports. */
export const NARROW: readonly [number, number] = [380, 800];

/** A name with markup, and a character that reverses the text behind it. */
export const HOSTILE = 'a \u202Egnp.exe <img src=x onerror="document.title=1">';

/**
 * Refused requests of a page that does not know yet that its session has expired, or has ended in another window: the browser
 * reports them. A page where somebody logs out sends none: a spec about a log-out does not expect this.
 */
export const SESSION_OVER =
  /^console: .* 401 \(Unauthorized\) \(http:.*\/(?:console\/api|operator|v1\.0)\/.*\)$/;

/** A request that the page itself ended, such as one of a page that was left. */
const ENDED = 'net::ERR_ABORTED';

/**
 * Registers hooks for a `describe`: a browser before its specs, which are skipped without Chromium; after each spec its
 * windows are closed, and errors on a console, in a script, of a request or against the Content-Security-Policy fail it.
 * Called before `scenes()`: hooks run in the order of their registration, and the windows have to close before the service.
 */
export function specBrowser(): SpecBrowser {
  let browser: Browser | undefined;
  let contexts: BrowserContext[] = [];
  let faults: string[] = [];
  let expected: RegExp[] = [];

  before(async function () {
    browser = await startChromium();
    if (browser === undefined) this.skip();
  });
  afterEach(async () => {
    const [closing, seen, allowed] = [contexts, faults, expected];
    [contexts, faults, expected] = [[], [], []];
    for (const context of closing) await context.close();
    expect(seen.filter((fault) => !allowed.some((pattern) => pattern.test(fault)))).to.deep.equal([]);
  });
  after(() => browser?.close());

  return {
    async open({ url, size = [1280, 860], scheme = 'light', phone = false }) {
      const context = await browser!.newContext({
        baseURL: url,
        viewport: { width: size[0], height: size[1] },
        colorScheme: scheme,
        isMobile: phone,
        deviceScaleFactor: phone ? 2 : 1,
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'UTC',
      });
      contexts.push(context);
      context.setDefaultTimeout(SOON_MS);
      const page = await context.newPage();
      watch(page, faults);
      return page;
    },
    expectError(message) {
      expected.push(message);
    },
  };
}

/** Adds to `faults` what goes wrong in a page. A violation of the policy is an error on the console too. */
function watch(page: Page, faults: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.stack ?? error.message}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'no answer';
    if (reason !== ENDED) faults.push(`request: ${request.method()} ${request.url()}: ${reason}`);
  });
}

/** Holds up the requests of a page to these addresses. Returns the function that lets them go on. */
export async function holdRequests(page: Page, addresses: string): Promise<() => void> {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(addresses, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Requests of the console that need its session. */
const WITH_SESSION = /\/(?:console\/api|operator|v1\.0)\//;

/**
 * Takes the cookie of a page. What the page reads by itself is held up until it has sent the request that is meant to find
 * out: otherwise a reading might find out first.
 */
export async function takeCookie(page: Page, method: string, address: RegExp): Promise<void> {
  let send!: () => void;
  const isSent = new Promise<void>((resolve) => (send = resolve));
  await page.route(WITH_SESSION, async (route) => {
    const request = route.request();
    if (request.method() === method && address.test(request.url())) send();
    else await isSent;
    await route.continue();
  });
  await page.context().clearCookies();
}

/** Returns the link to a page in the navigation of the console: a page may have another link of this name. */
export function navigationLink(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name, exact: true });
}

/** Logs in on the page that is shown, as the operator. */
export async function logInAsOperator(page: Page, operatorToken: string): Promise<void> {
  await page.getByRole('button', { name: 'Operator', exact: true }).click();
  await page.getByLabel("Operator's token").fill(operatorToken);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor({ state: 'attached' });
}

/** Logs in at `/console/login` as a tenant: the demo tenant of the embedded identity service unless given. */
export async function logInAsTenant(
  page: Page,
  { tenant, user, password } = { tenant: 'demo', user: 'demo', password: 'demo' },
): Promise<void> {
  await page.goto('/console/login');
  await page.getByRole('button', { name: 'Tenant', exact: true }).click();
  await page.getByLabel('Tenant', { exact: true }).fill(tenant);
  await page.getByLabel('User').fill(user);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor({ state: 'attached' });
}

/** Logs out in another window of the same session. */
export async function logOutElsewhere(page: Page): Promise<void> {
  const other = await page.context().newPage();
  await other.goto('/console');
  await other.getByRole('button', { name: 'Log out' }).click();
}

/** Waits until the elements have these texts, in order. Throws the last failed assertion after `SOON_MS`. */
export async function expectTexts(elements: Locator, wanted: readonly string[]): Promise<void> {
  let texts: string[] = [];
  await eventually(
    async () => {
      texts = await elements.allInnerTexts();
      return (texts.length === wanted.length && texts.every((text, i) => text === wanted[i])) || undefined;
    },
    SOON_MS,
    () => {
      expect(texts).to.deep.equal(wanted);
      return 'they came late';
    },
  );
}

/** Waits until there are so many elements. Throws the last failed assertion after `SOON_MS`. */
export async function expectCount(elements: Locator, wanted: number): Promise<void> {
  let count = 0;
  await eventually(
    async () => (count = await elements.count()) === wanted || undefined,
    SOON_MS,
    () => {
      expect(count).to.equal(wanted);
      return 'they came late';
    },
  );
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Runs axe on what the page shows, in light and in dark. Expects that it finds nothing. */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
    const found = violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.map(({ html, failureSummary }) => `${html.slice(0, 300)} ${failureSummary ?? ''}`),
    }));
    expect(found, `axe, ${colorScheme}, ${page.url()}`).to.deep.equal([]);
  }
}

/** Expects that the document does not scroll sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  expect(beyond, `CSS pixels beyond the width, ${page.url()}`).to.be.at.most(0);
}
