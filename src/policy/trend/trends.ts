import { contextIn } from '../../actors/behavior.js';
import type { EffectRun } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import { actorId, type Store } from '../../store/port.js';
import { type Metric, ofMetric } from '../rules/metrics.js';
import { erasing } from '../server/erasing.js';
import type { TrendEffect } from '../server/server-context.js';
import type { Servers } from '../server/servers.js';
import { subscribedRulesOf } from '../server/subscribed-rules.js';
import type { Tenants } from '../tenant/tenants.js';
import { minutesAfter } from '../server/close-minutes.js';
import type { Trend } from './shapes.js';
import { bucketsOf, kept, type TrendBucket } from './trend-buckets.js';
import { decoded } from './trend-codec.js';
import { type AppendTrendEvent, trendAddress, type TrendContext } from './trend-machine.js';
import { minuteOf, timeOf } from '../windows/trend-minute.js';
import { isoOf } from '../../system/iso.js';

const NONE: Pick<TrendContext, 'factId' | 'series'> = { factId: 0, series: {} };

/** Maximum number of reads of a server and its trend. A trend that is newer after all of them stays newer: a restored backup has it so. */
const READS = 10;

/** Makes the reading of trends. It changes nothing, and is never older than an answer of any node. */
export function createTrends(
  servers: Pick<Servers, 'readKnown'>,
  tenants: Pick<Tenants, 'committed'>,
  store: Pick<Store, 'load'>,
  now: () => number,
) {
  /** Reads a server, and what its trend had at that time or before. */
  const both = async (tenantId: string, serverId: string) => {
    for (let reads = 1; ; reads += 1) {
      const server = await servers.readKnown(tenantId, serverId);
      if (erasing(server) !== undefined) return { server, trend: NONE };
      const stored = await store.load(actorId(trendAddress(tenantId, serverId)));
      const trend = stored === undefined ? NONE : (contextIn(stored) as TrendContext);
      // Otherwise the server handed over its minutes meanwhile, and they would count twice.
      if (trend.factId <= server.factId || reads === READS) return { server, trend };
    }
  };

  /**
   * Resolves with the trends of the watched metrics of a server, in the order in which metrics are shown. `only`: that of
   * this metric alone. Rejects with `Refusal('not-found')` for an unknown server.
   */
  const trendsOf = async (tenantId: string, serverId: string, only?: Metric): Promise<readonly Trend[]> => {
    const { server, trend } = await both(tenantId, serverId);
    const tenant = await tenants.committed(tenantId);
    const minutes = minutesAfter(server, trend.factId);
    const { watched } = subscribedRulesOf(server, tenant);
    return watched
      .filter((metric) => only === undefined || metric === only)
      .map((metric) => {
        const buckets = [...decoded(ofMetric(trend.series, metric)), ...bucketsOf(minutes, metric)];
        return { metric, buckets: kept(buckets, minuteOf(now())).map(shown) };
      });
  };

  return {
    /** See `trendsOf`. */
    of: (tenantId: string, serverId: string) => trendsOf(tenantId, serverId),
    /** As `of`, of one metric: without buckets if no subscribed rule reads it. */
    async metric(tenantId: string, serverId: string, metric: Metric): Promise<Trend> {
      const [trend] = await trendsOf(tenantId, serverId, metric);
      return trend ?? { metric, buckets: [] };
    },
  };
}

function shown({ minute, length, count, mean, min, max }: TrendBucket) {
  return { at: isoOf(timeOf(minute)), seconds: length * 60, count, mean, min, max };
}

/** Makes the effect that hands the closed minutes of a server over to its trend. */
export function trendEffect(now: () => number) {
  return async (entry: TrendEffect, _context: unknown, { address: { tenant, name }, actors }: EffectRun) => {
    const { factId, minutes } = entry;
    const event: AppendTrendEvent = { type: 'append', now: now(), factId, minutes };
    await actors.ask(trendAddress(tenant, name), event);
    return performed(entry, now());
  };
}
