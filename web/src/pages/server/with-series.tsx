import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ServerView } from '../../../../src/console/shapes.js';
import { RecentFacts, type RecentRows } from '../../forms/backtest/recent-facts.js';
import type { SeriesByMetric } from './series.js';
import { useSeries } from './use-series.js';

interface WithSeriesProps {
  readonly server: ServerView;
  readonly children: (series: SeriesByMetric) => ComponentChildren;
}

/** Gives the series of a server to its children, and its measurements to their forms. */
export function WithSeries({ server, children }: WithSeriesProps) {
  const series = useSeries(server);
  const rows = useMemo(() => rowsOf(series), [series]);
  return <RecentFacts.Provider value={rows}>{children(series)}</RecentFacts.Provider>;
}

/** Returns the values after each fact, oldest first. */
function rowsOf(series: SeriesByMetric): RecentRows {
  const rows = new Map<number, Record<string, number>>();
  for (const [metric, { facts, values }] of Object.entries(series)) {
    for (const [i, fact] of facts.entries()) {
      const value = values[i];
      if (value === null || value === undefined) continue;
      const row = rows.get(fact) ?? {};
      row[metric] = value;
      rows.set(fact, row);
    }
  }
  return [...rows].toSorted(([a], [b]) => a - b).map(([, row]) => row);
}
