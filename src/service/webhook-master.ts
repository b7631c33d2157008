import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { durableSecret } from '../store/durable-secret.js';
import type { Store } from '../store/port.js';

const stretched = promisify<string, string, number, Buffer>(scrypt);

/**
 * Returns the secret from which all tenants' webhook secrets are derived: WEBHOOK_SECRET, else a generated secret in the
 * store. A tenant knows its derived secret and could guess a weak WEBHOOK_SECRET offline: scrypt (RFC 7914) makes each
 * guess slow.
 */
export async function webhookMaster(setting: string | undefined, store: Store): Promise<Uint8Array> {
  return setting === undefined
    ? durableSecret(store, 'webhook')
    : stretched(setting, 'mirzam webhook secrets', 32);
}
