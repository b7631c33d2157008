import { isAhead } from '../../actors/set-back.js';
import { METRICS } from '../rules/metrics.js';
import type { Arrival } from './arrival.js';
import type { Windows } from './window.js';

/** Returns the windows with arrivals in the future of `now` as arrivals at `now`; the same windows if there are none. */
export function windowsAfterSetBack(windows: Windows, now: number): Windows {
  const { cpu, mem, hdd, net, others = {}, unkept } = windows;
  const isLate = ({ at }: Arrival): boolean => isAhead(at, now);
  const isAnyLate =
    METRICS.some((metric) => isLate(windows[metric])) ||
    Object.values(others).some(isLate) ||
    (unkept !== undefined && (isLate(unkept) || Object.values(unkept.metrics ?? {}).some(isLate)));
  if (!isAnyLate) return windows;
  const set = <A extends Arrival>(arrival: A): A => (isLate(arrival) ? { ...arrival, at: now } : arrival);
  const setAll = <A extends Arrival>(all: Readonly<Record<string, A>>): Readonly<Record<string, A>> =>
    Object.fromEntries(Object.entries(all).map(([metric, arrival]) => [metric, set(arrival)]));
  return {
    cpu: set(cpu),
    mem: set(mem),
    hdd: set(hdd),
    net: set(net),
    ...(windows.others === undefined ? {} : { others: setAll(others) }),
    ...(unkept === undefined
      ? {}
      : {
          unkept: {
            ...set(unkept),
            ...(unkept.metrics === undefined ? {} : { metrics: setAll(unkept.metrics) }),
          },
        }),
  };
}
