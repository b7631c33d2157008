import type { Registry } from 'prom-client';
import { readCounter } from './read.js';

/** Statuses that are there from the start: Prometheus sees no increase in a sample that was never there. */
const USUAL = [200, 400, 401, 403, 404, 405, 406, 408, 409, 413];

/** Adds the metric of refused measurements. `totals` returns the number of requests by status. */
export function refusalMetrics(registry: Registry, totals: () => ReadonlyMap<number, number>): void {
  readCounter(
    registry,
    {
      name: 'mirzam_measurements_refused_total',
      help: 'Requests with measurements that were refused, by status; 200: some of their elements',
      labels: ['status'],
    },
    () => {
      const counted = new Map([...USUAL.map((status) => [status, 0] as const), ...totals()]);
      return [...counted].map(([status, value]) => ({ labels: { status: String(status) }, value }));
    },
  );
}
