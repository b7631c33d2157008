import { Counter, Gauge, type Registry } from 'prom-client';

/** The samples of a metric: one, those of its label's values, or none at the moment. */
export type Samples = number | undefined | Iterable<readonly [value: string, sample: number]>;

/** Adds a metric that `read` is asked for on each scrape. `label` names the label of its samples. */
type AddMetric = (name: string, help: string, read: () => Samples | Promise<Samples>, label?: string) => void;

/** Returns the functions that add gauges, and counters whose totals are kept elsewhere, to a registry. */
export function readOnScrape(registry: Registry): { readonly gauge: AddMetric; readonly counter: AddMetric } {
  const adding =
    (Kind: typeof Gauge | typeof Counter): AddMetric =>
    (name, help, read, label) => {
      const metric: Gauge | Counter = new Kind({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [registry],
        async collect() {
          const samples = await read();
          metric.reset();
          // Without labels, a reset leaves a sample of 0.
          if (samples === undefined) metric.remove();
          else if (typeof samples === 'number') metric.inc(samples);
          else for (const [value, sample] of samples) metric.inc({ [label!]: value }, sample);
        },
      });
    };
  return { gauge: adding(Gauge), counter: adding(Counter) };
}
