/** The metrics of the document (policy §2, Condition), in the order in which they are shown. */
export const METRICS = ['cpu', 'mem', 'hdd', 'net'] as const;

/** One of the metrics of the document. */
export type DocumentMetric = (typeof METRICS)[number];

/** The name of a metric: one of the document, or one that the setting `METRICS` allows. */
export type Metric = string;

/** The values of one measurement by metric. Metrics of the document are percentages 0..100. A missing metric was not measured. */
export type Measures = Readonly<Partial<Record<Metric, number>>>;

/**
 * Returns the own member of an object for a metric. The name of a metric may be that of an inherited member, such as
 * `constructor`.
 */
export function ofMetric<T>(values: Readonly<Partial<Record<Metric, T>>>, metric: Metric): T | undefined {
  const value = values[metric];
  return value !== undefined && Object.hasOwn(values, metric) ? value : undefined;
}

/** As `Object.fromEntries`, in a tenth of the time for hundreds of names that V8 has not seen. */
export function recordOf<T>(entries: Iterable<readonly [Metric, T]>): Record<Metric, T> {
  const record: Record<Metric, T> = {};
  for (const [metric, one] of entries) record[metric] = one;
  return record;
}

const PLACES = new Map<Metric, number>(METRICS.map((metric, place) => [metric, place]));

/** True for a metric of the document. */
export function isOfDocument(metric: Metric): metric is DocumentMetric {
  return PLACES.has(metric);
}

/** Compares metrics for sorting: those of the document in their order, then the others by name. */
export function inMetricOrder(a: Metric, b: Metric): number {
  const left = PLACES.get(a) ?? METRICS.length;
  const right = PLACES.get(b) ?? METRICS.length;
  if (left !== right) return left - right;
  return a < b ? -1 : a > b ? 1 : 0;
}
