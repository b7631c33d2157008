import type { Totals } from '../../operator/activity.js';
import { isoOf } from '../../system/iso.js';
import type { RatesView } from '../shapes.js';

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
  const first: Sample = { at: now(), totals: totals() };
  const samples = [first];
  const facts = factPauses(first);
  const timer = setInterval(() => {
    const sample = { at: now(), totals: totals() };
    samples.push(sample);
    if (samples.length > SAMPLES) samples.shift();
    facts.add(sample);
  }, EVERY_MS).unref();
  return {
    /** Returns the means of the last ten seconds, or of the time since the start if that is shorter. */
    read(): RatesView {
      const last = { at: now(), totals: totals() };
      facts.add(last);
      return { ...ratesBetween(samples[0]!, last), factsStopped: facts.stopped(last.at) };
    },
    async close(): Promise<void> {
      clearInterval(timer);
    },
  };
}

/** Returns the rates between two samples, per second with at most one decimal. */
export function ratesBetween(first: Sample, last: Sample): Omit<RatesView, 'factsStopped'> {
  // A clock that was set back, or two samples at one time: the shortest time that rates are meant for.
  const seconds = Math.max(last.at - first.at, EVERY_MS) / 1000;
  const rate = (of: keyof Totals): number =>
    Math.round(((last.totals[of] - first.totals[of]) / seconds) * 10) / 10;
  return { facts: rate('facts'), firings: rate('firings'), receipts: rate('receipts') };
}

/** Pauses are remembered by the minute, for an hour. */
const MINUTE_MS = 60_000;
const MINUTES = 60;
/** No shorter pause is a stop, ms: the first for facts that flow, the second for those that have come in few samples. */
const SHORTEST_STOP_MS = { flowing: 10_000, few: 60_000 };
/** Facts flow once they have come in so many samples. */
const FLOWING = 10;

/**
 * Watches for facts that stop. They have stopped once none has come for twice the longest pause of the hour before. `first`
 * is the sample of the start.
 */
export function factPauses(first: Sample) {
  /** The longest pause that ended in each minute, ms, by its number. */
  const longest = new Map<number, number>();
  let facts = first.totals.facts;
  let lastAt = first.at;
  let samples = 0;

  const isStopped = (at: number): boolean => {
    const shortest = SHORTEST_STOP_MS[samples < FLOWING ? 'few' : 'flowing'];
    return at - lastAt > Math.max(shortest, 2 * Math.max(0, ...longest.values()));
  };
  /** A pause ends at `at`. A stop does not count among the pauses. */
  const end = (at: number): void => {
    const minute = Math.floor(at / MINUTE_MS);
    if (samples > 0 && !isStopped(at)) {
      longest.set(minute, Math.max(longest.get(minute) ?? 0, at - lastAt));
    }
    for (const old of longest.keys()) if (old <= minute - MINUTES) longest.delete(old);
    lastAt = at;
    samples += 1;
  };

  return {
    add({ at, totals }: Sample): void {
      if (totals.facts !== facts) end(at);
      facts = totals.facts;
    },
    /** Returns when the last fact came, or the start if none did, ISO 8601, if facts have stopped by `at`; else null. */
    stopped: (at: number): string | null => (isStopped(at) ? isoOf(lastAt) : null),
  };
}
