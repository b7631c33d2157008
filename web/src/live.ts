/**
 * The event stream: one EventSource for the page, because a browser has few connections for one service. A page that
 * shows one server narrows it. It is closed while the page is hidden: a page that begins hidden opens it once it is shown.
 */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LiveEvents } from '../../src/operator/shapes.js';
import { loadSession, reloadSession } from './api.js';
import { withQuery } from './router.js';

/** Type of an event. */
export type LiveType = keyof LiveEvents;

/** All types: EventSource needs each by name. */
const LIVE_TYPES: readonly LiveType[] = [
  'transition',
  'firing',
  'delivery',
  'receiver',
  'receipt',
  'fault',
  'facts',
];

/** State of the stream, and since when (ms since the epoch). */
export interface Connection {
  readonly state: 'connecting' | 'live' | 'lost';
  readonly since: number;
}

/** The server that a stream is narrowed to. */
export interface LiveFilter {
  readonly tenant: string;
  readonly server: string;
}

/** The present state of the stream. */
export const connection = signal<Connection>({ state: 'connecting', since: Date.now() });

/** Grows when a stream begins and when the page becomes visible: what the page shows is read again. */
export const refresh = signal(0);

/** Grows when the stream is there again after a cut. */
export const reopened = signal(0);

const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 10_000;
/** A cut that ends sooner is not worth a warning: the service ends each stream once an hour, ms. */
const GRACE_MS = 3_000;
/** Timers stand still while the machine sleeps, and its connections may be dead afterwards, ms. */
const WAKE_CHECK_MS = 5_000;
const ASLEEP_MS = 20_000;
/** A hidden page keeps its connection so long, ms: a browser has six of HTTP/1.1 for all windows of one service. */
const HIDDEN_MS = 5_000;

type Listener = (type: LiveType, event: LiveEvents[LiveType]) => void;

const listeners = new Set<Listener>();
const filters: LiveFilter[] = [];
let running = false;
let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;
let warning: ReturnType<typeof setTimeout> | undefined;
/** Id of the newest event, for a new stream with the same filter. */
let lastId = '';
let failures = 0;
let opened = false;
/** True while the stream is not there after a cut or a pause. Somebody may log in or out in that time. */
let interrupted = false;

/**
 * Calls `callback` with each event of these types while the component is there. A `filter` narrows the stream of the
 * whole page to one server, with its facts.
 */
export function useLive<T extends LiveType>(
  types: readonly T[],
  callback: (type: T, event: LiveEvents[T]) => void,
  filter?: LiveFilter,
): void {
  const latest = useRef({ types, callback });
  latest.current = { types, callback };
  useEffect(() => {
    const listener: Listener = (type, event) => {
      const { types, callback } = latest.current;
      if ((types as readonly LiveType[]).includes(type)) callback(type as T, event as LiveEvents[T]);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, []);
  useEffect(() => {
    if (filter === undefined) return undefined;
    filters.push(filter);
    refilter();
    return () => {
      filters.splice(filters.indexOf(filter), 1);
      refilter();
    };
  }, [filter?.tenant, filter?.server]);
}

/** Opens the stream and keeps it open while the page is visible. Returns what closes it. */
export function startLive(): () => void {
  running = true;
  const ending = new AbortController();
  window.addEventListener('offline', onOffline, ending);
  window.addEventListener('online', reconnect, ending);
  document.addEventListener('visibilitychange', onVisibility, ending);
  const waking = setInterval(awake(), WAKE_CHECK_MS);
  connectIfVisible();
  return () => {
    running = false;
    ending.abort();
    clearInterval(waking);
    clearTimeout(hiding);
    close();
    opened = false;
    interrupted = false;
    lastId = '';
    turn('connecting');
  };
}

function connect(): void {
  close();
  const stream = new EventSource(
    withQuery('/console/api/events', { ...filters.at(-1), lastEventId: lastId }),
  );
  source = stream;
  stream.addEventListener('hello', () => {
    failures = 0;
    turn('live');
    if (opened) reopened.value += 1;
    opened = true;
    // The stream ends with its session. The session comes first: the page may be another viewer's now.
    if (interrupted) void reloadSession().then(readAgain);
    else readAgain();
    interrupted = false;
  });
  stream.addEventListener('error', () => {
    if (!interrupted) void reloadSession();
    interrupted = true;
    cut();
    if (stream.readyState === EventSource.CLOSED) again();
  });
  for (const type of LIVE_TYPES) {
    stream.addEventListener(type, ({ data, lastEventId }: MessageEvent<string>) => {
      lastId = lastEventId;
      const event = JSON.parse(data) as LiveEvents[LiveType];
      for (const listener of listeners) listener(type, event);
    });
  }
}

/**
 * Tries again after a pause: the browser does so only after a cut, not after an answer that is an error. A page that is
 * hidden by then does so once it is shown.
 */
function again(): void {
  close();
  const wait = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** failures);
  failures += 1;
  retry = setTimeout(() => {
    if (isHidden()) return;
    // An answer that is an error does not say whether the session is over.
    loadSession().then(connectIfVisible, again);
  }, wait);
}

/**
 * Reads again what the page shows. Even a resumed stream lacks the facts of the pause, and the first stream lacks what came
 * after the page was read.
 */
export function readAgain(): void {
  refresh.value += 1;
}

/** Opens a stream with the present filter. The id of another filter's last event says nothing about this one's. */
function refilter(): void {
  lastId = '';
  connectIfVisible();
}

/** Returns a function that, called at each interval, notices that the machine has slept. */
function awake(): () => void {
  let last = Date.now();
  return () => {
    const now = Date.now();
    if (now - last > ASLEEP_MS) reconnect();
    last = now;
  };
}

function reconnect(): void {
  interrupted = true;
  connectIfVisible();
}

function connectIfVisible(): void {
  if (running && !isHidden()) connect();
}

function isHidden(): boolean {
  return document.visibilityState === 'hidden';
}

function close(): void {
  clearTimeout(retry);
  source?.close();
  source = undefined;
}

function turn(state: Connection['state'], since = Date.now()): void {
  clearTimeout(warning);
  warning = undefined;
  if (connection.peek().state !== state) connection.value = { state, since };
}

/** The stream has ended: it is lost unless another one is there soon. */
function cut(): void {
  if (connection.peek().state === 'lost' || warning !== undefined) return;
  const since = Date.now();
  turn('connecting');
  warning = setTimeout(() => turn('lost', since), GRACE_MS);
}

function onOffline(): void {
  close();
  turn('lost');
}

function onVisibility(): void {
  clearTimeout(hiding);
  if (!isHidden()) {
    if (source === undefined) reconnect();
    return;
  }
  hiding = setTimeout(() => {
    close();
    turn('connecting');
  }, HIDDEN_MS);
}
