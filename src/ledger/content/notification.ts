import { createHash } from 'node:crypto';
import { fieldOf, isObject } from '../../untrusted/json.js';
import { Refusal } from '../../errors.js';
import type { Operation } from '../operation.js';
import type { CallerKey } from '../port.js';
import { hashedBatch } from './batch-content.js';
import { parseContent } from './content-json.js';
import { below, Faults } from './faults.js';
import { A_URI, isUri } from './uri.js';

const ENTITIES = 'must be a non-empty array of entities, as NGSI-LD brokers send them';

/**
 * Parses and checks a notification of NGSI-LD, normalized, concise or in the simplified form, and hashes its entities as a
 * batch: each as it is in `data`. Members beside `id`, `type`, `subscriptionId` and `data` are ignored, and so is the
 * `@context` of the notification: brokers add it to what they send. Throws as `batchContent`.
 */
export function notificationContent(bytes: Buffer) {
  const body = parseContent(bytes);
  if (!isObject(body)) {
    throw new Refusal(
      'bad-request',
      'body: must be a notification of NGSI-LD: a JSON object with id, subscriptionId and data',
    );
  }
  const faults = new Faults();
  const notification = {
    id: uriIn(body, 'id', faults),
    subscriptionId: uriIn(body, 'subscriptionId', faults),
  };
  const type = fieldOf(body, 'type');
  if (type !== undefined && type !== 'Notification')
    faults.add(below(undefined, 'type'), 'must be Notification, or left out');
  const data = fieldOf(body, 'data');
  // In JSON-LD, one element may stand for a list of one.
  const entities: readonly unknown[] = Array.isArray(data) ? data : isObject(data) ? [data] : [];
  if (entities.length === 0) faults.add(below(undefined, 'data'), ENTITIES);
  return { ...hashedBatch(entities, below(undefined, 'data'), { ldJson: false }, faults), notification };
}

/** Returns a required URI. Adds a fault if it is missing or is none. */
function uriIn(body: object, name: string, faults: Faults): string {
  const value = fieldOf(body, name);
  if (isUri(value)) return value;
  faults.add(below(undefined, name), value === undefined ? `is required, and ${A_URI}` : A_URI);
  return '';
}

/**
 * Returns a digest of what makes two notifications the same: their id and subscription, their entities in order, and the
 * tenant. The time at which they were sent does not count.
 */
export function notificationDigest({ notification, tenant, hash, entities }: Operation): string {
  const { id, subscriptionId } = notification!;
  const shared = [id, subscriptionId, tenant ?? null, hash, entities];
  return createHash('sha256').update(JSON.stringify(shared)).digest('hex');
}

/** Returns the key of the notifications with a digest. No Idempotency-Key begins with a line break. */
export function notifyKey(digest: string): CallerKey {
  return { name: `\nnotify ${digest}`, content: digest };
}
