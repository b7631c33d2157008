import { randomBytes, randomUUID } from 'node:crypto';
import { StoreUnavailable, actorId } from './port.js';
import type { Store } from './port.js';

/**
 * A secret of 32 random bytes that is made once and is then the same on every node and after every restart. It is
 * kept in the store beside the actors, under a kind that no machine has and no listing shows.
 */
export async function durableSecret(store: Store, name: string): Promise<Uint8Array> {
  const id = actorId({ kind: 'secret', tenant: 'service', name });
  const known = await store.load(id);
  if (known !== undefined) return decode(known.hot);
  const secret = randomBytes(32);
  const hot = JSON.stringify({ secret: secret.toString('base64') });
  const next = { version: 1, state: 'kept', wakeAt: undefined, hot, cold: '{}' };
  const commit = { id, expected: 0, commitId: randomUUID(), next, previous: undefined };
  const [outcome] = await store.commit([commit]);
  if (outcome === 'won') return secret;
  const theirs = await store.load(id);
  if (theirs === undefined) throw new StoreUnavailable(`the secret ${name} was written and cannot be read`);
  return decode(theirs.hot);
}

function decode(hot: string): Uint8Array {
  return Buffer.from((JSON.parse(hot) as { secret: string }).secret, 'base64');
}
