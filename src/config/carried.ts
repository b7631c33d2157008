import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Config } from './config.js';

/** Settings that belong to what a store has: a service with other values answers differently from the same store. */
export const CARRIED = ['WEBHOOK_SECRET', 'FACTS_KEY', 'DEFAULT_ACCOUNT_KEY', 'CHAIN_CONTRACT'] as const;

/** By setting: its fingerprint. Settings without a value have none. */
export type Fingerprints = Readonly<Partial<Record<(typeof CARRIED)[number], string>>>;

const BYTES = 16;
const stretched = promisify<string, string, number, Buffer>(scrypt);

/**
 * Resolves with the fingerprints of the carried settings: equal for equal values. A weak secret could be guessed from its
 * fingerprint, so scrypt (RFC 7914) makes each guess slow.
 */
export async function fingerprintsOf({ webhook, facts, ledger }: Config): Promise<Fingerprints> {
  const values: Readonly<Record<(typeof CARRIED)[number], string | undefined>> = {
    WEBHOOK_SECRET: webhook.secret,
    FACTS_KEY: facts.key,
    DEFAULT_ACCOUNT_KEY: ledger?.defaultAccount?.key,
    CHAIN_CONTRACT: ledger?.chain?.contract,
  };
  const found: Partial<Record<(typeof CARRIED)[number], string>> = {};
  for (const name of CARRIED) {
    const value = values[name];
    if (value === undefined) continue;
    found[name] = (await stretched(value, `mirzam export ${name}`, BYTES)).toString('hex');
  }
  return found;
}
