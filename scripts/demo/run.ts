import { randomBytes } from 'node:crypto';
import pc from 'picocolors';
import { asking } from './ask.js';
import { tellOfLedger } from './ledger-story.js';
import { tellOfRules } from './policy-story.js';
import { readSeries } from './series.js';
import { findOrStart } from './service-under-demo.js';
import { say } from './telling.js';

/** Shows both halves on one machine's story: the rule that calls for help, and what the ledger keeps of it. */
export async function runDemo(): Promise<void> {
  const began = Date.now();
  const service = await findOrStart(process.env['MIRZAM_URL'], process.env['WALLET_DEV_TOKEN']);
  try {
    const { url, own, walletToken } = service;
    say('Mirzam', `${url} ${pc.dim(own ? '(started for this demo)' : '(already running)')}`);
    const ask = asking(url);
    const serverId = `web-${randomBytes(3).toString('hex')}`;
    const series = await readSeries();
    await tellOfRules(ask, serverId, series);
    await tellOfLedger({ ask, url, walletToken }, serverId, series);
    say('Done', `in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  } finally {
    await service.stop();
  }
}
