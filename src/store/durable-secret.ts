import { randomBytes } from 'node:crypto';
import { durableTexts } from './durable-texts.js';
import type { Store } from './port.js';

/**
 * Resolves with a secret of 32 random bytes. It is made once, and is then the same on every node and after every restart.
 * The store has it beside the actors, under a kind without a machine, which no listing shows.
 */
export async function durableSecret(store: Store, name: string): Promise<Uint8Array> {
  const secrets = durableTexts(store, 'secret');
  const known = await secrets.get(name);
  const text = known ?? (await secrets.add(name, randomBytes(32).toString('base64')));
  return Buffer.from(text, 'base64');
}
