import { createHash, randomBytes } from 'node:crypto';

const LD_PREFIX = 'urn:ngsi-ld:Subscription:';

/** A subscription's id as an NGSI-LD broker sends it, when the service chose it. */
const OURS_IN_LD = new RegExp(`^${LD_PREFIX}([0-9a-f]{24})$`);

/** What the policy API takes as an id in a path; an id outside of it could be made but never be asked for. */
const FIT_FOR_PATHS = /^[A-Za-z0-9_-]{1,256}$/;

/** 24 hexadecimal digits, the form of Orion's own ids. */
export function newMark(): string {
  return randomBytes(12).toString('hex');
}

/** A mark that is the same for the same text. */
export function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** Whether an id given by a broker can be an id of the policy API. */
export function isPublicId(id: unknown): id is string {
  return typeof id === 'string' && FIT_FOR_PATHS.test(id);
}

/** The URI under which an NGSI-LD broker knows the subscription that the policy API shows as `publicId`. */
export function ldSubscriptionId(publicId: string): string {
  return LD_PREFIX + publicId;
}

/**
 * The id that the policy API shows for the `subscriptionId` of a notification. In NGSI-LD that is a URI, of which the
 * API shows the 24 hexadecimal digits that the service chose; any other id is its own.
 */
export function publicSubscriptionId(raw: string): string {
  return OURS_IN_LD.exec(raw)?.[1] ?? raw;
}
