import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { durableSecret } from '../store/durable-secret.js';
import type { Store } from '../store/port.js';

const stretched = promisify<string, string, number, Buffer>(scrypt);

/**
 * What the webhook secrets of all tenants are derived from: WEBHOOK_SECRET, else a secret that is made once and kept in
 * the store. Each tenant knows what is derived for it, and could try out texts that are easy to guess: trying is made
 * slow (scrypt, RFC 7914).
 */
export async function webhookMaster(setting: string | undefined, store: Store): Promise<Uint8Array> {
  return setting === undefined
    ? durableSecret(store, 'webhook')
    : stretched(setting, 'mirzam webhook secrets', 32);
}
