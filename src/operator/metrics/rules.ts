import type { Registry } from 'prom-client';
import type { IgnoredValues } from '../../policy/server/ignored-values.js';
import type { Totals } from '../activity.js';
import { readCounter } from './read.js';

/** Metrics of measurements and rules. */
export interface RuleMetrics {
  /** Records evaluations of conditions. */
  readonly evaluated: (evaluations: number) => void;
  /** Records values that were left out. */
  readonly ignored: (values: readonly IgnoredValues[]) => void;
  /** Adds the totals that are read on each scrape. */
  observe(totals: () => Totals): void;
}

/** Creates the metrics of measurements and rules. */
export function ruleMetrics(registry: Registry): RuleMetrics {
  // Counted for each request: a number costs less than a counter of the library.
  let evaluations = 0;
  const total = (name: string, help: string, read: () => number): void =>
    readCounter(registry, { name, help }, () => [{ labels: {}, value: read() }]);
  total('mirzam_evaluations_total', 'Evaluations of a condition with full windows', () => evaluations);
  const ignored: Record<IgnoredValues['why'], number> = { repeated: 0, older: 0, 'other subscription': 0 };
  const ignoredHead = {
    name: 'mirzam_values_ignored_total',
    help: 'Values that were left out: counted before, older than the last one counted, or of a subscription that does not feed its server',
    labels: ['reason'] as const,
  };
  readCounter(registry, ignoredHead, () =>
    Object.entries(ignored).map(([reason, value]) => ({ labels: { reason }, value })),
  );
  return {
    evaluated(count) {
      evaluations += count;
    },
    ignored(values) {
      for (const { why, count } of values) ignored[why] += count;
    },
    observe(totals) {
      total('mirzam_facts_total', 'Accepted measurements', () => totals().facts);
      total('mirzam_firings_total', 'Firings with a message', () => totals().firings);
      total('mirzam_transitions_total', 'Changes of the state of subscriptions', () => totals().transitions);
    },
  };
}
