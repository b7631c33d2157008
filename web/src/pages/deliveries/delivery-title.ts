import type { DeliveryRowView } from '../../../../src/console/shapes.js';

const CHANNELS = { webhook: 'webhook', email: 'e-mail', mirror: 'mirrored receipt' } as const;

/** Returns what a message is called: its channel, and the rule or subject. */
export function titleOf({ channel, title, transactionHash }: DeliveryRowView): string {
  const about = title === '' ? (transactionHash ?? '') : title;
  return about === '' ? CHANNELS[channel] : `${CHANNELS[channel]}: ${about}`;
}
