import { createHmac, hkdfSync } from 'node:crypto';
import { equalSecrets } from '../../system/equal-secrets.js';
import { LONGEST_MUTE_S } from './mute-end.js';
import type { SubscriptionPath } from './mutes.js';
import type { MessageSettings } from '../alerts/outgoing-messages.js';

/** How long a link is good, s. */
const LINK_S = LONGEST_MUTE_S;
/** Length of a signature, bytes: half of an HMAC-SHA256, the least of RFC 2104. Links in mails should be short. */
const SIGNATURE_BYTES = 16;
const LONGEST_LINK = 2_048;

/** Links of mails that mute one subscription. The signed part of a link is a secret: who has it may mute. */
export type MuteLinks = ReturnType<typeof createMuteLinks>;

/** Makes the links. Nodes with the same `secret` read each other's. Nothing is stored. */
export function createMuteLinks(secret: Uint8Array) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'mirzam mute link', 32));
  const signatureOf = (claim: string): string =>
    createHmac('sha256', key).update(claim).digest().subarray(0, SIGNATURE_BYTES).toString('base64url');

  return {
    /** Returns the signed part of the link of a subscription: base64url and one dot. `now` is in ms since the epoch. */
    sign({ tenantId, serverId, subscriptionId }: SubscriptionPath, now: number): string {
      const end = Math.floor(now / 1000) + LINK_S;
      const claim = JSON.stringify([end, tenantId, serverId, subscriptionId]);
      const encoded = Buffer.from(claim).toString('base64url');
      return `${encoded}.${signatureOf(encoded)}`;
    },
    /** Returns the subscription of a link; undefined for one that was not signed here, or is over at `now`. */
    read(signed: string, now: number): SubscriptionPath | undefined {
      const [encoded = '', signature = '', ...rest] = signed.split('.', 3);
      if (signed.length > LONGEST_LINK || rest.length > 0) return undefined;
      if (!equalSecrets(signature, signatureOf(encoded))) return undefined;
      const claim = JSON.parse(Buffer.from(encoded, 'base64url').toString()) as [number, ...string[]];
      const [end, tenantId = '', serverId = '', subscriptionId = ''] = claim;
      return now < end * 1000 ? { tenantId, serverId, subscriptionId } : undefined;
    },
  };
}

/** Returns the function that makes the addresses of the links. `publicUrl` returns the address of the service for people. */
export function muteUrls(publicUrl: () => string, links: MuteLinks): MessageSettings['muteUrl'] {
  return (tenantId, serverId, subscriptionId, now) =>
    `${publicUrl()}/mute/${links.sign({ tenantId, serverId, subscriptionId }, now)}`;
}
