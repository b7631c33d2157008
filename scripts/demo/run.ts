import { randomBytes } from 'node:crypto';
import pc from 'picocolors';
import { httpClient } from './http-client.js';
import { showLedger } from './ledger-story.js';
import { showRules } from './policy-story.js';
import { readSeries } from '../../src/console/demo/series.js';
import { findOrStart } from './service-under-demo.js';
import { say } from './output.js';

/** Shows both APIs with the measurements of one machine: the rule that fires, and the records in the ledger. */
export async function runDemo(): Promise<void> {
  const startedAt = Date.now();
  const service = await findOrStart(process.env['MIRZAM_URL'], process.env['WALLET_DEV_TOKEN']);
  try {
    const { url, own, walletToken } = service;
    say('Mirzam', `${url} ${pc.dim(own ? '(started for this demo)' : '(already running)')}`);
    const request = httpClient(url);
    const serverId = `web-${randomBytes(3).toString('hex')}`;
    const series = await readSeries();
    await showRules(request, serverId, series);
    await showLedger({ request, url, walletToken }, serverId, series);
    say('Done', `in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  } finally {
    await service.stop();
  }
}
