import type { Asked } from './asking-thread.js';
import { fill, many } from './worst-bodies.js';
import { newMetrics } from './worst-writes.js';

/** Bodies with as many new metrics as fit, and the status of their answers. `nth`: number of the body. */
interface NewMetrics {
  readonly bodyOf: (nth: number) => Asked;
  readonly status: number;
}

/** Returns an entity with metrics. */
const entityOf = (server: number, metrics: number, prefix: string): string =>
  `{"id":"w${server}",${many(metrics, (i) => `"${prefix}_${server}_${i}":1`).join(',')}}`;

/** Facts by entity of servers with so many metrics each. */
const notification =
  (metrics: number) =>
  (nth: number): Asked => ({
    method: 'POST',
    path: '/v1.0/demo/notify',
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from(
      fill('{"data":[', (i) => (i === 0 ? '' : ',') + entityOf(i, metrics, `m${metrics}_${nth}`), ']}'),
    ),
  });

/** Bodies of new metrics by kind. No other body has the same names. */
export const newMetricBodies: Readonly<Record<string, NewMetrics>> = {
  ...Object.fromEntries(
    Object.entries(newMetrics).map(([kind, bodyOf]) => [
      `remote write ${kind}`,
      { bodyOf, status: 204 } satisfies NewMetrics,
    ]),
  ),
  'facts by entity, 100 metrics each': { bodyOf: notification(100), status: 200 },
  'facts by entity, 1,000 metrics each': { bodyOf: notification(1_000), status: 200 },
  'facts by entity, 40,000 metrics of one server': { bodyOf: notification(40_000), status: 413 },
};
