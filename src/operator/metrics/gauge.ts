import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** Adds a gauge that is read on each scrape. */
export function readGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: () => gauge.set(read()),
  });
}
