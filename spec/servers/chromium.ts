import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's package `chromium`. CHROMIUM names another binary. */
const BINARY = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A host name that is this machine in the browser of the specs. */
export const OTHER_NAME = 'mirzam.test';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Chromium keeps cookies that are for https from loopback names too. This one is like any other.
  `--host-resolver-rules=MAP ${OTHER_NAME} 127.0.0.1`,
];

/**
 * Starts Chromium without a window. Returns undefined, after a line on the console, if it is not installed; with CI=true
 * throws an `Error` instead. Nothing is downloaded.
 */
export async function startChromium(): Promise<Browser | undefined> {
  if (!existsSync(BINARY)) {
    const missing = `${BINARY} is not there; apt-get install --no-install-recommends chromium`;
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log(`Skipping the specs in a browser: ${missing}`);
    return undefined;
  }
  return chromium.launch({ executablePath: BINARY, args: FLAGS });
}
