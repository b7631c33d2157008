/** Readings of the service: a page reads an answer, and again when it may have changed. */
import { effect } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { LiveEvents } from '../../src/operator/shapes.js';
import { ApiError, get } from './api.js';
import { type LiveType, refresh, useLive } from './live.js';
import { viewerKey } from './session.js';

/** The state of a reading. `data` stays while it is read again, and while the reading fails. */
export interface Query<T> {
  readonly data: T | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  /** Reads again now. */
  readonly reload: () => void;
}

/** When to read again, beside `refresh`. */
export interface QueryOptions<E extends LiveType> {
  /** Events after which the answer may differ. */
  readonly on?: readonly E[];
  /** Returns false for an event that does not concern this page. */
  readonly concerns?: (event: LiveEvents[E]) => boolean;
  /** Interval while the page is visible, ms. */
  readonly every?: number;
}

/** Readings of one path are at least so far apart, ms. */
const SPACING_MS = 1_000;
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

/**
 * Reads `path`, and again after events, after a reconnection, and when the page becomes visible. null reads nothing. A
 * path that differs only in its query shows the old answer until the new one is there.
 */
export function useQuery<T, E extends LiveType = LiveType>(
  path: string | null,
  options: QueryOptions<E> = {},
): Query<T> {
  const [answer, setAnswer] = useState<{ path: string | null; data?: T; error?: ApiError }>({ path: null });
  const [loading, setLoading] = useState(path !== null);
  const reader = useRef<Reader | undefined>(undefined);

  useEffect(() => {
    if (path === null) return undefined;
    const own = startReader(path, {
      begin: () => setLoading(true),
      data(data) {
        keep(path, data);
        setAnswer({ path, data: data as T });
        setLoading(false);
      },
      error(error) {
        setAnswer((before) =>
          before.path === path && before.data !== undefined
            ? { path, data: before.data, error }
            : { path, error },
        );
        setLoading(false);
      },
    });
    reader.current = own;
    return () => {
      own.stop();
      if (reader.current === own) reader.current = undefined;
    };
  }, [path]);

  useLive<E>(options.on ?? [], (_, event) => {
    if (options.concerns?.(event) !== false) reader.current?.soon();
  });
  const { every } = options;
  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = setInterval(() => reader.current?.soon(), every);
    return () => clearInterval(timer);
  }, [every]);

  const reload = useCallback(() => reader.current?.now(), []);
  const shown = answer.path === path ? answer : { error: undefined, data: earlier<T>(path, answer) };
  return { data: shown.data, error: shown.error, loading, reload };
}

/** Returns what can be shown before the answer of a new path: its last one, or that of the same page's other query. */
function earlier<T>(path: string | null, answer: { path: string | null; data?: T }): T | undefined {
  if (path === null) return undefined;
  if (cache.has(path)) return cache.get(path) as T;
  return answer.path?.split('?')[0] === path.split('?')[0] ? answer.data : undefined;
}

interface Reader {
  now(): void;
  /** Reads once the spacing allows it. A hidden page reads when it becomes visible. */
  soon(): void;
  stop(): void;
}

interface ReaderEvents {
  begin(): void;
  data(data: unknown): void;
  error(error: ApiError): void;
}

function startReader(path: string, tell: ReaderEvents): Reader {
  const viewer = viewerKey.peek();
  let last = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let current: AbortController | undefined;
  /** True if the answer under way may be older than the last event. */
  let outdated = false;

  function now(): void {
    clearTimeout(timer);
    timer = undefined;
    // The page of the viewer before stays until the next paint.
    if (viewerKey.peek() !== viewer) return;
    last = Date.now();
    current?.abort();
    const own = new AbortController();
    current = own;
    outdated = false;
    const end = (say: () => void): void => {
      if (current !== own) return;
      current = undefined;
      say();
      if (outdated) soon();
    };
    tell.begin();
    get(path, own.signal).then(
      (data) => end(() => tell.data(data)),
      (error: unknown) =>
        end(() => tell.error(error instanceof ApiError ? error : new ApiError(String(error), 0))),
    );
  }
  function soon(): void {
    if (timer === undefined && document.visibilityState === 'visible')
      timer = setTimeout(due, Math.max(0, last + SPACING_MS - Date.now()));
  }
  /** A reading under way goes on: otherwise events that come faster than answers would cancel every answer. */
  function due(): void {
    timer = undefined;
    if (current === undefined) now();
    else outdated = true;
  }

  now();
  const begun = refresh.peek();
  const endRefresh = effect(() => {
    if (refresh.value !== begun) soon();
  });
  return {
    now,
    soon,
    stop() {
      clearTimeout(timer);
      current?.abort();
      current = undefined;
      endRefresh();
    },
  };
}
