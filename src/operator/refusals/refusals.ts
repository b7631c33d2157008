import type { RefusalView } from '../shapes.js';
import { isoOf } from '../../system/iso.js';

/** A request with measurements that was refused, or of which a part was refused. */
export interface RefusedMeasurements extends Omit<RefusalView, 'at' | 'times'> {
  readonly isKnown: boolean;
}

/** The refused measurements of this node. Context brokers read no answer, so only operators see them. */
export type Refusals = ReturnType<typeof createRefusals>;

/** Maximum number of entries of the list. */
export const REFUSALS_LIMIT = 1_000;
/**
 * Number of entries of unknown tenants above which they cannot replace entries of known tenants. Anybody can send
 * measurements of unknown tenants.
 */
const UNKNOWN_LIMIT = REFUSALS_LIMIT / 2;
/** Maximum characters of a text in the list. A path that an operation takes is shorter. */
const LONGEST = { tenant: 256, path: 600, message: 1_000 };
const MINUTE_MS = 60_000;
const MINUTES = 60;

/** Equal refusals of a minute. */
interface Entry {
  /** Number of the newest of them among all refusals. */
  number: number;
  /** When it came, ms since the epoch. */
  at: number;
  times: number;
}

/**
 * Creates an empty list. `now` returns ms since the epoch. `onAdded` is called with each refusal, its texts cut as in the
 * list.
 */
export function createRefusals(now: () => number, onAdded: (refused: RefusedMeasurements) => void) {
  // The key is one text with what equal refusals have in common. It keeps no longer text in memory. The newest entry
  // is the last.
  const known = new Map<string, Entry>();
  const unknown = new Map<string, Entry>();
  const totals = new Map<number, number>();
  const minutes = Array.from({ length: MINUTES }, () => ({ minute: -1, count: 0 }));
  let added = 0;

  const count = (minute: number, status: number): void => {
    added += 1;
    totals.set(status, (totals.get(status) ?? 0) + 1);
    const slot = minutes[minute % MINUTES]!;
    if (slot.minute === minute) slot.count += 1;
    else Object.assign(slot, { minute, count: 1 });
  };

  const dropOldest = (): void => {
    const [first] = known.values();
    const [other] = unknown.values();
    const isUnknown =
      unknown.size > UNKNOWN_LIMIT ||
      first === undefined ||
      (other !== undefined && other.number < first.number);
    const from = isUnknown ? unknown : known;
    const [oldest] = from.keys();
    from.delete(oldest!);
  };

  return {
    add(refused: RefusedMeasurements): void {
      const at = now();
      const minute = Math.floor(at / MINUTE_MS);
      const { isKnown, status } = refused;
      const tenant = cut(refused.tenant, LONGEST.tenant);
      const path = cut(refused.path, LONGEST.path);
      const message = cut(refused.message, LONGEST.message);
      count(minute, status);
      const list = isKnown ? known : unknown;
      const key = JSON.stringify([minute, tenant, path, status, message]);
      const times = (list.get(key)?.times ?? 0) + 1;
      list.delete(key);
      list.set(key, { number: added, at, times });
      if (known.size + unknown.size > REFUSALS_LIMIT) dropOldest();
      onAdded({ tenant, isKnown, path, status, message });
    },
    /** Returns those of the tenants that `isAsked` accepts, the newest first. */
    list(isAsked: (tenant: string) => boolean, limit: number): readonly RefusalView[] {
      const all = [...known, ...unknown].toSorted(([, a], [, b]) => b.number - a.number);
      const views: RefusalView[] = [];
      for (const [key, { at, times }] of all) {
        if (views.length === limit) break;
        const [, tenant, path, status, message] = JSON.parse(key) as [number, string, string, number, string];
        if (isAsked(tenant)) views.push({ at: isoOf(at), tenant, path, status, message, times });
      }
      return views;
    },
    /** Returns the number of refused requests of the last hour. */
    lastHour(): number {
      const minute = Math.floor(now() / MINUTE_MS);
      return minutes.reduce((sum, slot) => sum + (minute - slot.minute < MINUTES ? slot.count : 0), 0);
    },
    /** Returns the number of refused requests since the start, by status. */
    totals: (): ReadonlyMap<number, number> => totals,
  };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`.toWellFormed();
}
