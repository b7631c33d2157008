import type { Registry } from 'prom-client';
import type { PartState } from '../health/part-watch.js';
import { readGauges } from './read.js';

/** Adds the metric of the parts that can be away. It is read on each scrape, and asks no part. */
export function partMetrics(registry: Registry, parts: () => readonly PartState[]): void {
  const head = {
    name: 'mirzam_part_up',
    help: '1 if a part answered when it was looked at last, else 0',
    labels: ['part'] as const,
  };
  readGauges(registry, head, () =>
    parts().map(({ name, status }) => ({ labels: { part: name }, value: status === 'up' ? 1 : 0 })),
  );
}
