import { isAhead, notAhead } from '../../actors/clock-set-back.js';
import {
  lastSentAt,
  type SentFiring,
  type StoredState,
  type SubscriptionState,
} from './subscription-state.js';

/**
 * Returns a subscription state that counts times in the future of `now` as times of now; the same state if there are none.
 * What messages and explanations show of them stays.
 */
export function stateAfterSetBack(stored: StoredState, now: number): StoredState {
  if (stored === null || typeof stored === 'string') return stored;
  const { since, holdFrom, unsentAt, reported, noDataSince, noDataFrom } = stored;
  const isLate = (at: number | undefined): boolean => at !== undefined && isAhead(at, now);
  const from = holdFrom ?? since;
  const period = holdPeriodWhenFired(stored);
  // A firing subscription does not become pending again.
  const isHoldLate = from !== undefined && (isAhead(from, now) || (period > 0 && now - from < period));
  const noData = isLate(noDataFrom ?? noDataSince);
  const firings = reported?.firings.some(({ at }) => isLate(at)) === true;
  if (!isHoldLate && !noData && !firings && !isLate(unsentAt)) return stored;
  const set = (firing: SentFiring): SentFiring => ({ ...firing, at: notAhead(firing.at, now) });
  return {
    ...stored,
    ...(isHoldLate ? { holdFrom: now - period } : {}),
    ...(noData ? { noDataFrom: now } : {}),
    ...(isLate(unsentAt) ? { unsentAt: now } : {}),
    ...(firings ? { reported: { ...reported, firings: reported.firings.map(set) } } : {}),
  } satisfies SubscriptionState;
}

/** Returns the hold period of a firing subscription when it last fired, ms: it is at least so long since. */
function holdPeriodWhenFired({ state, since, holdFrom, unsentAt, reported }: SubscriptionState): number {
  const from = holdFrom ?? since;
  if (state !== 'firing' || from === undefined) return 0;
  return Math.max(0, Math.max(unsentAt ?? 0, lastSentAt(reported) ?? 0) - from);
}
