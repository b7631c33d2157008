import type { DeliveryView as Delivery } from '../../operator/deliveries-view.js';
import { isObject } from '../../untrusted/json.js';
import type { DeliveryRowView, DeliveryView } from '../shapes.js';

/** Returns a delivery as its page shows it. */
export function shownDelivery(delivery: Delivery): DeliveryView {
  return { ...deliveryRow(delivery), message: delivery.message };
}

/** Returns a delivery as a list of the console shows it: without its message, which may be long. */
export function deliveryRow({ message, ...row }: Delivery): DeliveryRowView {
  return { ...row, title: titleOf(message) };
}

/** Returns the name of the rule that fired, or the subject of a mail. Empty for a mirrored receipt. */
function titleOf(message: Delivery['message']): string {
  if (message.channel === 'email') return message.subject;
  if (message.channel === 'mirror') return '';
  const body: unknown = JSON.parse(message.body);
  const name = isObject(body) ? body['ruleName'] : undefined;
  return typeof name === 'string' ? name : '';
}
