import type { EmailMessage } from '../../delivery/port.js';

/** Most characters of a number of a series with its comma. */
const NUMBER = 13;
/** Names and punctuation of a message and of each series as JSON. */
const FRAME = 200;

/** Returns about how many characters a stored mail has beside its body. Counted, not written: outboxes are measured often. */
export function charactersBeside({
  subject,
  lead = '',
  facts,
  series = [],
  muteUrl = '',
}: EmailMessage): number {
  let count = FRAME + subject.length + lead.length + muteUrl.length;
  for (const [label, value] of facts) count += label.length + value.length;
  for (const { metric, compared, values, thresholds, clearThresholds } of series) {
    count += FRAME + metric.length + compared.length;
    count += NUMBER * (values.length + thresholds.length + clearThresholds.length);
  }
  return count;
}
