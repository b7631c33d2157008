/** Readings of the service: a page reads an answer, and again when it may have changed. */
import { effect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { LiveEvents } from '../../src/operator/shapes.js';
import { ApiError, get, messageOf } from './api.js';
import { type LiveType, refresh, useLive } from './live.js';
import { isLeaving, viewerKey } from './session.js';

/** The state of a reading. `data` stays while it is read again, and while the reading fails. */
export interface Query<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  /** Reads again now. */
  readonly reload: () => void;
}

/** When to read again, beside `refresh`, and how. */
export interface QueryOptions<T, E extends LiveType> {
  /** Events after which the answer may differ. */
  readonly on?: readonly E[];
  /** Returns false for an event that does not concern this page. */
  readonly concerns?: (event: LiveEvents[E]) => boolean;
  /** Interval while the page is visible, ms, which may depend on the answer. */
  readonly every?: number | ((data: T) => number | undefined);
  /** Reads the answer. `show` shows a part of the first one. Without it: one request. */
  readonly read?: (signal: AbortSignal, show: (part: T) => void) => Promise<T>;
  /** True: it is read again while the page is hidden, too, as often as `every` says. */
  readonly hidden?: boolean;
  /**
   * A reading is followed by a pause of so many times its length, up to ten seconds: many consoles must not keep the
   * service busy.
   */
  readonly pauses?: number;
}

/** Readings of one path are at least so far apart, ms. */
const SPACING_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
const CACHE_MAX = 50;

/** Last answers by path: going back shows them at once. */
const cache = new Map<string, unknown>();

function keep(path: string, data: unknown): void {
  cache.delete(path);
  cache.set(path, data);
  if (cache.size > CACHE_MAX) cache.delete(cache.keys().next().value!);
}

/** Forgets all answers: another viewer sees other ones. */
export function forgetAnswers(): void {
  cache.clear();
}

/** The last answer, and the path that it is of. */
interface Answer<T> {
  readonly path?: string;
  readonly data?: T | undefined;
  readonly error?: ApiError | undefined;
}

/**
 * Reads `path`, and again after events, after a reconnection, and when the page becomes visible. A path that differs only
 * in its query shows the old answer until the new one is there.
 */
export function useQuery<T, E extends LiveType = LiveType>(
  path: string,
  options: QueryOptions<T, E> = {},
): Query<T> {
  const [answer, setAnswer] = useState<Answer<T>>({});
  const [loading, setLoading] = useState(true);
  const reader = useRef<ReturnType<typeof startReader> | undefined>(undefined);

  useEffect(() => {
    const { read = (signal) => get<T>(path, signal), pauses = 0, hidden = false } = options;
    let isFirst = true;
    const own = startReader(
      async (signal) => {
        setLoading(true);
        try {
          const data = await read(signal, (part) => {
            if (isFirst && !signal.aborted) setAnswer({ path, data: part });
          });
          if (signal.aborted) return;
          isFirst = false;
          keep(path, data);
          setAnswer({ path, data });
        } catch (failure) {
          if (signal.aborted) return;
          const error = failure instanceof ApiError ? failure : new ApiError(messageOf(failure), 0);
          setAnswer((before) => ({ path, error, data: before.path === path ? before.data : undefined }));
        }
        setLoading(false);
      },
      { pauses, hidden },
    );
    reader.current = own;
    return () => {
      own.stop();
      if (reader.current === own) reader.current = undefined;
    };
  }, [path]);

  const isOwn = answer.path === path;
  const data = isOwn ? answer.data : earlier(path, answer);
  useLive<E>(options.on ?? [], (_, event) => {
    if (options.concerns?.(event) !== false) reader.current?.soon();
  });
  const every = typeof options.every === 'function' ? data && options.every(data) : options.every;
  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = setInterval(() => reader.current?.soon(), every);
    return () => clearInterval(timer);
  }, [every]);

  const reload = useCallback(() => reader.current?.now(), []);
  return { data, error: isOwn ? answer.error : undefined, loading, reload };
}

/** Returns what can be shown before the answer of a new path: its last one, or that of the same page's other query. */
function earlier<T>(path: string, answer: Answer<T>): T | undefined {
  if (cache.has(path)) return cache.get(path) as T;
  return answer.path?.split('?')[0] === path.split('?')[0] ? answer.data : undefined;
}

/** Calls `read` now, and again when asked. `read` does nothing more once its signal is aborted. */
function startReader(
  read: (signal: AbortSignal) => Promise<void>,
  { pauses, hidden }: { readonly pauses: number; readonly hidden: boolean },
) {
  const viewer = viewerKey.peek();
  let earliest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let current: AbortController | undefined;
  /** True if the answer under way may be older than the last event. */
  let outdated = false;

  function now(): void {
    clearTimeout(timer);
    timer = undefined;
    // The page of the viewer before stays until the next paint.
    if (viewerKey.peek() !== viewer || isLeaving.peek()) return;
    current?.abort();
    const own = new AbortController();
    current = own;
    outdated = false;
    const begun = Date.now();
    earliest = begun + SPACING_MS;
    void read(own.signal).then(() => {
      if (current !== own) return;
      current = undefined;
      const pause = Math.min(pauses * (Date.now() - begun), LONGEST_PAUSE_MS);
      earliest = Math.max(earliest, Date.now() + pause);
      if (outdated) soon();
    });
  }
  /** Reads once the spacing allows it. A hidden page reads when it becomes visible, unless `hidden`. */
  function soon(): void {
    if (timer === undefined && (hidden || document.visibilityState === 'visible'))
      timer = setTimeout(due, Math.max(0, earliest - Date.now()));
  }
  /** A reading under way goes on: otherwise events that come faster than answers would cancel every answer. */
  function due(): void {
    timer = undefined;
    if (current === undefined) now();
    else outdated = true;
  }

  /** Ends the reading under way, and what is due. */
  function cancel(): void {
    clearTimeout(timer);
    timer = undefined;
    current?.abort();
    current = undefined;
  }

  now();
  const begun = refresh.peek();
  const endRefresh = effect(() => {
    if (refresh.value !== begun) soon();
  });
  const endLeaving = effect(() => {
    if (isLeaving.value) cancel();
  });
  return {
    now,
    soon,
    stop() {
      cancel();
      endRefresh();
      endLeaving();
    },
  };
}
