import type { DeliveryRowView } from '../../../../src/console/shapes.js';
import { stateText } from '../../ui/badge.js';

const CHANNELS = { webhook: 'webhook', email: 'e-mail', mirror: 'mirrored receipt' } as const;

/** Returns what a message is called: its channel, the rule or subject, and the state that it tells of. */
export function titleOf({ channel, title, says, transactionHash }: DeliveryRowView): string {
  const about = title === '' ? (transactionHash ?? '') : title;
  const name = about === '' ? CHANNELS[channel] : `${CHANNELS[channel]}: ${about}`;
  return says === null ? name : `${name}, ${stateText(says)}`;
}
