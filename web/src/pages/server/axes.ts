/** The axis of values of a plot. */
import { isOfDocument } from '../../../../src/policy/rules/metrics.js';

/** The scale of percentages, which the metrics of the document are. There is room above, so that the line of 100 % is seen. */
const PERCENT = [0, 104] as const;

/** Returns the ends of the scale of a metric for these values and lines, not all of them null. */
export function scaleOf(metric: string, shown: readonly (number | null)[]): [from: number, to: number] {
  const known = shown.filter((value) => value !== null);
  if (isOfDocument(metric) || known.length === 0) return [...PERCENT];
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const range = most - least;
  const room = range > 0 && Number.isFinite(range) ? range * 0.08 : Math.max(1, Math.abs(most) * 0.08);
  return [Math.max(-Number.MAX_VALUE, least - room), Math.min(Number.MAX_VALUE, most + room)];
}
