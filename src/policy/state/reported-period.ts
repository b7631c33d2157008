import type { ReportedPeriod, SentFiring } from './subscription-state.js';

/** Returns a reported period whose receiver was not sent that it is over; undefined: there is none. */
export function openPeriod(reported: ReportedPeriod | undefined): ReportedPeriod | undefined {
  return reported?.resolved === undefined ? reported : undefined;
}

/** Returns when the last firing of a reported period was sent, ms since the epoch; undefined without a period. */
export function lastSentAt(reported: ReportedPeriod | undefined): number | undefined {
  return reported?.firings.at(-1)?.at;
}

/** Returns the reported period after a firing of it was sent. `open`: the same period before; undefined: it is the first. */
export function withFiring(
  open: ReportedPeriod | undefined,
  since: number,
  firing: SentFiring,
): ReportedPeriod {
  const [first] = open?.firings ?? [];
  return { since, firings: first === undefined ? [firing] : [first, firing] };
}

/** Returns a reported period that goes on. */
export function goingOn(open: ReportedPeriod | undefined): ReportedPeriod | undefined {
  return open?.ended === true ? { since: open.since, firings: open.firings } : open;
}

/** Returns a reported period that is over. `resolved`: number of the fact whose `resolved` was sent; undefined: none was. */
export function overPeriod({ since, firings }: ReportedPeriod, resolved: number | undefined): ReportedPeriod {
  return resolved === undefined ? { since, firings, ended: true } : { since, firings, resolved };
}

/** Returns the reported period without a message that was refused, by the number of its fact; undefined: no firing is left. */
export function withoutRefused(reported: ReportedPeriod, factId: number): ReportedPeriod | undefined {
  if (factId === reported.resolved) return overPeriod(reported, undefined);
  const firings = reported.firings.filter((firing) => firing.factId !== factId);
  if (firings.length === reported.firings.length) return reported;
  return firings.length === 0 ? undefined : { ...reported, firings };
}
