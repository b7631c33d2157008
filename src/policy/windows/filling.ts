import type { CompiledCondition } from '../rules/compiled.js';
import { type Values, windowOf, type Windows } from './window.js';

/** The windows with the size in force. */
export interface Present {
  readonly windows: Windows<Values>;
  /** Number of values of a full window. */
  readonly size: number;
}

/** True if the windows of every metric of a condition are full. */
export function isReady({ metrics }: CompiledCondition, { windows, size }: Present): boolean {
  for (const metric of metrics) if (windowOf(windows, metric).values.length < size) return false;
  return true;
}

/** Returns the sentence for a condition that was not evaluated with these windows. */
export function fillingSentence({ metrics }: CompiledCondition, { windows, size }: Present): string {
  for (const metric of metrics) {
    const { values, emptied } = windowOf(windows, metric);
    if (values.length >= size) continue;
    const why = emptied === undefined ? '' : `, emptied by a pause of ${Math.round(emptied.pause / 1000)} s`;
    return `Not evaluated: the window of ${metric} holds ${values.length} of ${size} values${why}.`;
  }
  return `Not evaluated: the windows are full, and the next measurement of ${metrics.join(' or ')} decides.`;
}
