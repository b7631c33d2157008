import type { MetricSettings } from '../../config/metrics.js';
import { type Metric, METRICS } from '../rules/metrics.js';

/** The smallest and the largest value of a metric. */
export type Range = readonly [min: number, max: number];

const PERCENT: Range = [0, 100];

/** Returns the metrics of the document and those of the settings, each with its range; undefined: any finite number. */
export function metricRanges({ listed }: MetricSettings): ReadonlyMap<Metric, Range | undefined> {
  return new Map<Metric, Range | undefined>([
    ...METRICS.map((metric) => [metric, PERCENT] as const),
    ...listed.map(({ name, range }) => [name, range] as const),
  ]);
}
