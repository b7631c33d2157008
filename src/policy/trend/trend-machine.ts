import { setup } from 'xstate';
import { contextIn } from '../../actors/behavior.js';
import { decides } from '../../actors/decides.js';
import type { ActorContext, ActorEvent, ActorKind } from '../../actors/kind.js';
import { type Address, type Listed, NO_RARE } from '../../store/port.js';
import type { Metric } from '../rules/metrics.js';
import { bucketsOf, kept } from './trend-buckets.js';
import { decoded, encoded, type StoredTrend } from './trend-codec.js';
import { minuteOf, type TrendMinute } from '../windows/trend-minute.js';

/** Kind of the actors that keep the trend of a server: its watched metrics over the last day. */
export const TREND = 'trend';

export interface TrendContext extends ActorContext {
  /** Number of the fact that handed over the newest minutes; 0: there are none. */
  readonly factId: number;
  readonly series: Readonly<Record<Metric, StoredTrend>>;
}

/** Adds the minutes that are not yet here. */
export interface AppendTrendEvent extends ActorEvent {
  readonly type: 'append';
  /** Number of the fact that hands them over. */
  readonly factId: number;
  readonly minutes: readonly TrendMinute[];
}

export type TrendEvent = AppendTrendEvent | (ActorEvent & { readonly type: 'erase' | 'wake' });

const trendMachine = setup({
  types: { context: {} as TrendContext, events: {} as TrendEvent },
}).createMachine({
  id: TREND,
  context: { factId: 0, series: {}, outbox: [], wakeAt: undefined, reply: undefined },
  initial: 'kept',
  states: {
    kept: {
      on: {
        append: { actions: decides(append) },
        erase: { guard: ({ context }) => context.factId > 0, target: 'gone' },
      },
    },
    gone: {},
  },
});

/** The kind of the trends. */
export const trendKind: ActorKind = {
  name: TREND,
  version: 1,
  machine: trendMachine,
  evictAfter: ['kept'],
  unindexedState: 'kept',
  deletedState: 'gone',
  effects: {},
};

/** Returns the address of the trend of a server. */
export function trendAddress(tenant: string, name: string): Address {
  return { kind: TREND, tenant, name };
}

function append(context: TrendContext, event: AppendTrendEvent): Partial<TrendContext> {
  const { now, factId, minutes } = event;
  if (factId <= context.factId) return {};
  const metrics = new Set([...Object.keys(context.series), ...minutes.flatMap((one) => one.metrics)]);
  const series = [...metrics].flatMap((metric): readonly (readonly [Metric, StoredTrend])[] => {
    const before = Object.hasOwn(context.series, metric) ? decoded(context.series[metric]) : [];
    const buckets = kept([...before, ...bucketsOf(minutes, metric)], minuteOf(now));
    return buckets.length === 0 ? [] : [[metric, encoded(buckets)]];
  });
  return { factId, series: Object.fromEntries(series) };
}

/**
 * Returns a stored trend as it was when the server had the fact `factId` and no later one; undefined if it has nothing from then.
 * `open`: the first minute that the server had not handed over yet, since the epoch.
 */
export function trendUpTo(stored: Listed, factId: number, open: number): Listed | undefined {
  const context = contextIn(stored) as TrendContext;
  if (context.factId <= factId) return stored;
  const series = Object.entries(context.series).flatMap(([metric, buckets]) => {
    const within = decoded(buckets).filter(({ minute }) => minute < open);
    return within.length === 0 ? [] : [[metric, encoded(within)] as const];
  });
  if (series.length === 0) return undefined;
  const change = { factId, series: Object.fromEntries(series) };
  return { ...stored, frequent: JSON.stringify({ ...context, ...change }), rare: NO_RARE };
}
