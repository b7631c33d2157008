import type { ServerView } from '../../../../src/console/shapes.js';
import type { RecentRows } from '../../forms/backtest/recent-facts.js';
import type { ExplainedWindow } from '../../../../src/policy/explain/shapes.js';

/** The course of one metric: a point for each fact that was seen, oldest first. */
export interface Series {
  readonly facts: readonly number[];
  /** Newest value of the window after the fact. null: the window was empty. */
  readonly values: readonly (number | null)[];
  /** Mean of the full window after the fact. null: it was not full, or not seen. */
  readonly means: readonly (number | null)[];
}

/** By metric. */
export type SeriesByMetric = Readonly<Record<string, Series>>;

/** Maximum number of points of a series. */
const POINTS = 500;

const EMPTY: Series = { facts: [], values: [], means: [] };

/**
 * Adds the windows after a fact to the series. Facts that were not seen one by one are taken from the windows, whose
 * values are those of the last facts. Windows of an earlier fact change nothing.
 */
export function extended(
  series: SeriesByMetric,
  { factId, windows }: Pick<ServerView, 'factId' | 'windows'>,
): SeriesByMetric {
  return Object.fromEntries(
    Object.entries(windows).map(([metric, window]) => [
      metric,
      extendedOne(series[metric] ?? EMPTY, factId, window),
    ]),
  );
}

function extendedOne(before: Series, factId: number, { values, size }: ExplainedWindow): Series {
  const last = before.facts.at(-1) ?? 0;
  if (factId <= last || (values.length === 0 && before.facts.length === 0)) return before;
  const unseen = Math.min(factId - last, Math.max(values.length, 1));
  const facts = Array.from({ length: unseen }, (_, i) => factId - unseen + 1 + i);
  const added = facts.map((_, i) => values[values.length - unseen + i] ?? null);
  const means = facts.map((fact) => (fact === factId && values.length >= size ? meanOf(values) : null));
  const joined = <T>(old: readonly T[], more: readonly T[]): T[] => [...old, ...more].slice(-POINTS);
  return {
    facts: joined(before.facts, facts),
    values: joined(before.values, added),
    means: joined(before.means, means),
  };
}

/** The unrounded mean. What a rule compares is the service's, in its sentence. */
function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the values after each fact, oldest first. */
export function recentRows(series: SeriesByMetric): RecentRows {
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
