import type { Totals } from '../../operator/activity.js';
import type { OverviewView } from '../shapes.js';

/** Rates of this node, per second. */
export type Rates = ReturnType<typeof sampleRates>;

/** Time between two samples, ms. */
const EVERY_MS = 1_000;
/** Samples that span ten seconds. */
const SAMPLES = 11;

interface Sample {
  /** ms since the epoch. */
  readonly at: number;
  readonly totals: Totals;
}

/** Takes a sample of the node's totals each second. `now` returns ms since the epoch. */
export function sampleRates(totals: () => Totals, now: () => number) {
  const samples: Sample[] = [{ at: now(), totals: totals() }];
  const timer = setInterval(() => {
    samples.push({ at: now(), totals: totals() });
    if (samples.length > SAMPLES) samples.shift();
  }, EVERY_MS).unref();
  return {
    /** Returns the means of the last ten seconds, or of the time since the start if that is shorter. */
    read: (): NonNullable<OverviewView['rates']> =>
      ratesBetween(samples[0]!, { at: now(), totals: totals() }),
    async close(): Promise<void> {
      clearInterval(timer);
    },
  };
}

/** Returns the rates between two samples, per second with at most one decimal. */
export function ratesBetween(first: Sample, last: Sample): NonNullable<OverviewView['rates']> {
  // A clock that was set back, or two samples at one time: the shortest time that rates are meant for.
  const seconds = Math.max(last.at - first.at, EVERY_MS) / 1000;
  const rate = (of: keyof Totals): number =>
    Math.round(((last.totals[of] - first.totals[of]) / seconds) * 10) / 10;
  return { facts: rate('facts'), firings: rate('firings'), receipts: rate('receipts') };
}
