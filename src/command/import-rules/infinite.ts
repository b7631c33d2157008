import type { Promql } from './promql.js';
import type { Recorded } from './series.js';

const RATES = new Set(['rate', 'irate', 'increase', 'delta', 'idelta']);
const DIVISIONS = new Set(['/', '%']);

/**
 * True for what can be infinite or no number: a division by a rate, which is 0 while nothing happens, and a quantile of a
 * histogram, which then has no observations. Recording rules are looked into.
 */
export function mayBeInfinite(part: Promql, recorded: Recorded): boolean {
  if (part.is === 'selector') return recorded.get(part.name ?? '')?.mayBeInfinite === true;
  if (part.is === 'operation' && DIVISIONS.has(part.operator) && hasRate(part.right, recorded)) return true;
  if (part.is === 'call' && part.name === 'histogram_quantile') return true;
  return partsOf(part).some((one) => mayBeInfinite(one, recorded));
}

/** True for what has a rate in it, or in the recording rules that it reads. */
export function hasRate(part: Promql, recorded: Recorded): boolean {
  if (part.is === 'selector') return recorded.get(part.name ?? '')?.hasRate === true;
  return (part.is === 'call' && RATES.has(part.name)) || partsOf(part).some((one) => hasRate(one, recorded));
}

/** Returns the parts that a part is made of. */
function partsOf(part: Promql): readonly Promql[] {
  switch (part.is) {
    case 'operation':
      return [part.left, part.right];
    case 'call':
    case 'aggregation':
      return part.args;
    case 'negative':
    case 'shifted':
      return [part.of];
    case 'number':
    case 'string':
    case 'selector':
      return [];
  }
}
