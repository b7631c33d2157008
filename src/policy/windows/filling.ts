import type { CompiledCondition } from '../rules/compiled.js';
import { shortageSentence, undecidedSentence } from '../state/sentences.js';
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
    if (values.length < size) {
      return shortageSentence({ metric, holds: values.length, size, pause: emptied?.pause });
    }
  }
  return undecidedSentence(metrics);
}
