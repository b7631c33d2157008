import type { Sample, Scrape } from '../scrape.js';

/** Two scrapes while a cause lasts, and the time between them, s. */
export interface During {
  readonly first: Scrape;
  readonly last: Scrape;
  readonly seconds: number;
}

/** Interval of the series, s. */
const INTERVAL_S = 15;
/** How long a service is scraped before a cause, and during it, in intervals. */
const BEFORE = 160;
const LASTING = 560;

/** When the cause begins, s after the first scrape. */
export const CAUSE_AT_S = BEFORE * INTERVAL_S;

/** What grows for as long as its cause lasts: counters and ages. Other gauges keep the value of the last scrape. */
const GROWS = /(?:_total|_bucket|_sum|_count|_age_seconds)$/;

/**
 * Returns the input series of a test of promtool: a service as it was before the cause, then as it goes on during the
 * cause. What grew between the two scrapes goes on growing at the same rate.
 */
export function inputSeries(before: Scrape, { first, last, seconds }: During): string {
  const names = new Map<string, Sample>();
  for (const sample of [...before.samples, ...last.samples]) names.set(nameOf(sample), sample);
  const [was, began, is] = [before, first, last].map(valuesOf) as [Values, Values, Values];
  return [...names]
    .map(([series, { name }]) => {
      const now = is.get(series);
      const rate = GROWS.test(name) && now !== undefined ? (now - (began.get(series) ?? 0)) / seconds : 0;
      const quiet = steps(was.get(series), 0, BEFORE);
      return `      - series: '${series}'\n        values: '${quiet} ${steps(now, rate, LASTING)}'`;
    })
    .join('\n');
}

type Values = ReadonlyMap<string, number>;

function valuesOf({ samples }: Scrape): Values {
  return new Map(samples.map((sample) => [nameOf(sample), sample.value]));
}

/** Returns a series as Prometheus stores it: with the labels of the scrape. */
function nameOf({ name, labels }: Sample): string {
  const all = { ...labels, instance: 'mirzam:8080', job: 'mirzam' };
  const pairs = Object.entries(all).map(([key, value]) => `${key}="${value.replaceAll("'", '')}"`);
  return `${name}{${pairs.join(',')}}`;
}

/** Returns values in promtool's notation: `count` of them, growing by `rate` each second. */
function steps(value: number | undefined, rate: number, count: number): string {
  if (value === undefined || !Number.isFinite(value)) return `_x${count}`;
  const step = rate * INTERVAL_S;
  return `${value.toFixed(6)}${step < 0 ? '-' : '+'}${Math.abs(step).toFixed(6)}x${count - 1}`;
}
