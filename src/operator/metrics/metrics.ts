import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Observe } from '../../http/request-log.js';
import type { IgnoredValues } from '../../policy/server/ignored-values.js';
import type { LeftOut } from '../../policy/sources/left-out.js';
import { SOURCE_REASONS } from '../../policy/sources/source-value.js';
import type { Totals } from '../activity.js';
import type { DependencyState } from '../shapes.js';
import { actorMetrics } from './actors.js';
import { deliveryMetrics } from './deliveries.js';
import { readOnScrape } from './read.js';
import { RequestTimes } from './request-times.js';

/** Metrics of the service for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

let ofProcess: Registry | undefined;

/** Returns the metrics of this process. Its services share them, because nothing can stop what observes them. */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Creates the metrics of one service, in a registry of their own. */
export function createMetrics() {
  const registry = new Registry();
  const process = processMetrics();
  return {
    /** Records an answered request. */
    request: requestMetrics(registry),
    rules: ruleMetrics(registry),
    actors: actorMetrics(registry),
    deliveries: deliveryMetrics(registry),
    /** Adds metrics that are read on each scrape. */
    add: (metrics: (registry: Registry) => void): void => metrics(registry),
    /** Returns the text of a scrape with its content type. */
    scrape: async (): Promise<{ readonly contentType: string; readonly text: string }> => ({
      contentType: registry.contentType,
      text: await Registry.merge([process, registry]).metrics(),
    }),
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Creates the histogram of answered requests. The result records one answer. */
function requestMetrics(registry: Registry): Observe {
  const times = new RequestTimes(registry);
  return (method, status, seconds, route = 'none') =>
    times.add(METHODS.has(method) ? method : 'other', status, seconds, route);
}

/** Creates the metrics of measurements and rules. */
function ruleMetrics(registry: Registry) {
  let evaluations = 0;
  const { counter } = readOnScrape(registry);
  counter('mirzam_evaluations_total', 'Evaluations of a condition with full windows', () => evaluations);
  const ignored: Record<string, number> = { repeated: 0, older: 0, 'other subscription': 0 };
  counter(
    'mirzam_values_ignored_total',
    'Values that were left out: counted before, older than one that counted, of a subscription that does not feed its server, or, of a source, without a known metric, server, time or number',
    () => Object.entries(ignored),
    'reason',
  );
  return {
    /** Records evaluations of conditions. */
    evaluated: (count: number): void => {
      evaluations += count;
    },
    /** Records values that were left out. */
    ignored: (values: readonly IgnoredValues[]): void => {
      for (const { why, count } of values) ignored[why]! += count;
    },
    /** Records values of sources that were left out. Reasons that only sources have are there from their first request on. */
    leftOut: (values: readonly Pick<LeftOut, 'why' | 'count'>[]): void => {
      for (const why of SOURCE_REASONS) ignored[why] ??= 0;
      for (const { why, count } of values) ignored[why]! += count;
    },
    /** Adds the totals that are read on each scrape. */
    observe(totals: () => Totals): void {
      counter('mirzam_facts_total', 'Accepted measurements', () => totals().facts);
      counter('mirzam_firings_total', 'Firings with a message', () => totals().firings);
      counter(
        'mirzam_transitions_total',
        'Changes of the state of subscriptions',
        () => totals().transitions,
      );
    },
  };
}

/** Statuses that are there from the start: Prometheus sees no increase in a sample that was never there. */
const USUAL = [200, 400, 401, 403, 404, 405, 406, 408, 409, 413];

/** Adds the metric of refused measurements. `totals` returns the number of requests by status. */
export function refusalMetrics(registry: Registry, totals: () => ReadonlyMap<number, number>): void {
  readOnScrape(registry).counter(
    'mirzam_measurements_refused_total',
    'Requests with measurements that were refused, by status; 200: some of their elements',
    () => {
      const counted = new Map([...USUAL.map((status) => [status, 0] as const), ...totals()]);
      return [...counted].map(([status, count]) => [String(status), count]);
    },
    'status',
  );
}

/** Adds the metric of the dependencies. It is read on each scrape, and asks none of them. */
export function dependencyMetrics(registry: Registry, states: () => readonly DependencyState[]): void {
  readOnScrape(registry).gauge(
    'mirzam_part_up',
    '1 if a dependency answered its last check, else 0',
    () => states().map(({ name, status }) => [name, status === 'up' ? 1 : 0]),
    'part',
  );
}

/** Adds the metrics of the disk under the data folder, and of the embedded store in it. */
export function diskMetrics(registry: Registry, folder: string): void {
  const { gauge } = readOnScrape(registry);
  // A folder or a file that does not exist, as with MongoDB, has no sample.
  const disk = () => statfs(folder).catch(() => undefined);
  const file = () => stat(join(folder, 'data.mdb')).catch(() => undefined);
  gauge('mirzam_disk_free_bytes', 'Free bytes of the disk of the data folder', async () => {
    const found = await disk();
    return found && found.bsize * found.bavail;
  });
  gauge('mirzam_disk_bytes', 'Bytes of the disk of the data folder', async () => {
    const found = await disk();
    return found && found.bsize * found.blocks;
  });
  gauge(
    'mirzam_store_file_bytes',
    'Bytes of the file of the embedded store',
    async () => (await file())?.size,
  );
}
