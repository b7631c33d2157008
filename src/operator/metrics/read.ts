import { Counter, Gauge, type Registry } from 'prom-client';

/** The head of a metric. */
export interface MetricHead<L extends string = never> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

/** A value of a metric. */
export interface Reading<L extends string = never> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
}

/** Adds a gauge that is read on each scrape. It has no sample while `read` returns undefined. */
export function readGauge(registry: Registry, head: MetricHead, read: () => number | undefined): void {
  readGauges(registry, head, () => {
    const value = read();
    return value === undefined ? [] : [{ labels: {}, value }];
  });
}

/** Adds a gauge with labels that is read on each scrape. It has the samples that `read` returns. */
export function readGauges<L extends string = never>(
  registry: Registry,
  { name, help, labels = [] }: MetricHead<L>,
  read: () => readonly Reading<L>[] | Promise<readonly Reading<L>[]>,
): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      const readings = await read();
      gauge.reset();
      // Without labels, a reset leaves a sample of 0.
      if (labels.length === 0 && readings.length === 0) gauge.remove();
      for (const reading of readings) gauge.set(reading.labels, reading.value);
    },
  });
}

/** Adds a counter whose totals are kept elsewhere. It is read on each scrape. */
export function readCounter<L extends string = never>(
  registry: Registry,
  { name, help, labels = [] }: MetricHead<L>,
  read: () => readonly Reading<L>[],
): void {
  const counter: Counter = new Counter({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      counter.reset();
      for (const reading of read()) counter.inc(reading.labels, reading.value);
    },
  });
}
