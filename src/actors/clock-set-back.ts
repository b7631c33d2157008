import type { ActorContext } from './kind.js';

// The clock may be set back: by an operator, or by NTP after a wrong time. Times that actors keep then lie in the future,
// and count as now (docs/adr/0034-clocks-set-back.md).

/** A clock that is behind by no more was not set back, ms. Corrections of some ms must cost nothing. */
const SET_BACK_MS = 1_000;

/** True for a time that was kept before the clock was set back. Both in ms since the epoch. */
export function isAhead(time: number, now: number): boolean {
  return time > now + SET_BACK_MS;
}

/** Returns a kept time, or now if it lies in the future. */
export function notAhead(time: number, now: number): number {
  return isAhead(time, now) ? now : time;
}

/** Returns the context with the wake-up that was planned before the clock was set back as if it had just been planned. */
export function withoutLateWake<C extends ActorContext>(context: C, now: number): C {
  const { wakeAt, plannedAt } = context;
  if (wakeAt === undefined || plannedAt === undefined || !isAhead(plannedAt, now)) return context;
  return { ...context, wakeAt: now + (wakeAt - plannedAt), plannedAt: now };
}
