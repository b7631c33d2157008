import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

/** The present second, ms since the epoch. It stands still while the page is hidden. */
const now = signal(Date.now());

/** Lets `now` tick. Called once. */
export function startClock(): void {
  const tick = (): void => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  };
  setInterval(tick, 1_000);
  document.addEventListener('visibilitychange', tick);
}

/** A time relative to now, with the exact one in its title. null is a dash. */
export function Time({ at }: { readonly at: string | number | null | undefined }) {
  return at ? <Exact at={at}>{relative(new Date(at).getTime(), now.value)}</Exact> : <span>–</span>;
}

/** Seconds since a time, as `2 h 5 min`, while it lasts. */
export function Since({ at }: { readonly at: string | number }) {
  return <Exact at={at}>{duration(now.value - new Date(at).getTime())}</Exact>;
}

/** Returns the present time, ms since the epoch, in steps. A component that asks is rendered again each second. */
export function nowEvery(ms: number): number {
  return now.value - (now.value % ms);
}

/** True until a time. A component that asks is rendered again each second. */
export function isAhead(at: string | number): boolean {
  return new Date(at).getTime() > now.value;
}

/** Words for a time, with its date and time in the viewer's zone, and in UTC, in the title. */
function Exact({ at, children }: { readonly at: string | number; readonly children: string }) {
  // Its words change each second, the time does not.
  const { iso, title } = useMemo(() => {
    const date = new Date(at);
    return { iso: date.toISOString(), title: `${exactly.format(date)} (${date.toISOString()})` };
  }, [at]);
  return (
    <time dateTime={iso} title={title}>
      {children}
    </time>
  );
}

const exactly = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
});

function relative(at: number, now: number): string {
  const ahead = at > now + 999;
  const text = duration(Math.abs(now - at));
  if (text === '0 s') return 'now';
  return ahead ? `in ${text}` : `${text} ago`;
}

/** A length of time in its two largest units that matter: `12 s`, `4 min`, `2 h 5 min`, `3 d 4 h`. */
function duration(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1_000));
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return min < 5 && s % 60 > 0 ? `${min} min ${s % 60} s` : `${min} min`;
  const h = Math.floor(min / 60);
  if (h < 24) return min % 60 > 0 ? `${h} h ${min % 60} min` : `${h} h`;
  const d = Math.floor(h / 24);
  return h % 24 > 0 && d < 10 ? `${d} d ${h % 24} h` : `${d} d`;
}
