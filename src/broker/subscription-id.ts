import { randomBytes } from 'node:crypto';

const LD_PREFIX = 'urn:ngsi-ld:Subscription:';

/** Id that the service chose for a subscription of an NGSI-LD broker. */
const OURS_IN_LD = new RegExp(`^${LD_PREFIX}([0-9a-f]{24})$`);

/** Ids that the paths of the policy API accept. */
const FIT_FOR_PATHS = /^[A-Za-z0-9_-]{1,256}$/;

/** Returns a new random mark: 24 hexadecimal digits, the form of Orion's ids. */
export function newMark(): string {
  return randomBytes(12).toString('hex');
}

/** Returns true if a broker's id is usable as an id of the policy API. */
export function isPublicId(id: unknown): id is string {
  return typeof id === 'string' && FIT_FOR_PATHS.test(id);
}

/** Returns the URI, in an NGSI-LD broker, of the subscription that the policy API shows as `publicId`. */
export function ldSubscriptionId(publicId: string): string {
  return LD_PREFIX + publicId;
}

/**
 * Returns the policy API's id for the `subscriptionId` of a notification: the 24 hexadecimal digits of a URI that the
 * service chose in NGSI-LD, else the id itself.
 */
export function publicSubscriptionId(raw: string): string {
  return OURS_IN_LD.exec(raw)?.[1] ?? raw;
}

/** Returns the last path segment of a Location header, absolute or relative. undefined if it has none. */
export function lastSegment(location: string | null): string | undefined {
  if (location === null || !URL.canParse(location, 'http://broker/')) return undefined;
  const encoded = new URL(location, 'http://broker/').pathname.split('/').at(-1);
  try {
    return decodeURIComponent(encoded ?? '');
  } catch {
    return undefined;
  }
}
