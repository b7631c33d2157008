import type { DeliveryView as Delivery } from '../../operator/deliveries-view.js';
import { isObject } from '../../untrusted/json.js';
import { inBatches } from '../../system/in-batches.js';
import type { DeliveryRowView, DeliveryView } from '../shapes.js';

/** Messages that are parsed in one turn of the event loop. One has up to 64 Ki characters and more. */
const BATCH = 10;

/** Returns deliveries as a list of the console shows them: without their messages, which may be long. */
export async function deliveryRows(deliveries: readonly Delivery[]): Promise<readonly DeliveryRowView[]> {
  const rows: DeliveryRowView[] = [];
  for await (const batch of inBatches(deliveries, BATCH)) rows.push(...batch.map(rowOf));
  return rows;
}

/** Returns a delivery as its page shows it. */
export function shownDelivery(delivery: Delivery): DeliveryView {
  return { ...rowOf(delivery), message: delivery.message };
}

function rowOf({ message, ...row }: Delivery): DeliveryRowView {
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
