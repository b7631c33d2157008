import type { DeliveryRowView } from '../../../../src/console/shapes.js';
import { stateText } from '../../ui/badge.js';

const CHANNELS = { webhook: 'webhook', email: 'e-mail', mirror: 'mirrored receipt' } as const;

/** Returns what a message is called: its channel, the rule or subject, and the state that it notifies of. */
export function titleOf({ channel, title, notifies, transactionHash }: DeliveryRowView): string {
  const about = title === '' ? (transactionHash ?? '') : title;
  const name = about === '' ? CHANNELS[channel] : `${CHANNELS[channel]}: ${about}`;
  return notifies === null ? name : `${name}, ${stateText(notifies)}`;
}
