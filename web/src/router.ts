/**
 * The address of the page: history API, no hash. A page is a path; what a page filters by is its query.
 */
import { computed, signal } from '@preact/signals';

/** Where the viewer is: path without the origin, and the query with its `?`, or empty. */
export interface Place {
  readonly path: string;
  readonly search: string;
}

const placeNow = (): Place => ({ path: window.location.pathname, search: window.location.search });

const current = signal<Place>(placeNow());

/** The present place. It changes with `navigate`, `setQuery` and the browser's buttons. */
export const place = computed(() => current.value);

/** Keys under which the scroll position of each entry of the history is kept. */
const scrolled = new Map<string, number>();
/** Makes the key of a new entry. Not with `crypto.randomUUID`: browsers have it on https and loopback names alone. */
let made = 0;
const newKey = (): string => `${performance.timeOrigin} ${(made += 1)}`;
const keyNow = (): string => (window.history.state as { key?: string } | null)?.key ?? 'first';

/** The scroll position to restore once the page of an entry that the viewer went back to is tall enough. */
export const wantedScroll = signal<number | undefined>(undefined);

/** Goes to another page of the console: a new entry of the history, unless `replace`. */
export function navigate(to: string, options: { readonly replace?: boolean } = {}): void {
  const state = { key: options.replace === true ? keyNow() : newKey() };
  if (options.replace === true) window.history.replaceState(state, '', to);
  else window.history.pushState(state, '', to);
  arrive(0);
}

/** Shows the page at the present address. Another page than before is scrolled to `scroll`, px. */
function arrive(scroll: number): void {
  const before = current.value.path;
  current.value = placeNow();
  if (current.value.path !== before) wantedScroll.value = scroll;
}

/** Returns a parameter of the present query, or an empty string. */
export function queryValue(name: string): string {
  return new URLSearchParams(current.value.search).get(name) ?? '';
}

/** Changes parameters of the query in place. An empty value removes its parameter. */
export function setQuery(changes: Readonly<Record<string, string>>, options: { push?: boolean } = {}): void {
  const query = new URLSearchParams(current.value.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  navigate(current.value.path + asSearch(query), { replace: options.push !== true });
}

/** Returns a path with a query of the values that are not empty. */
export function withQuery(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return path + asSearch(query);
}

function asSearch(query: URLSearchParams): string {
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** Joins segments to a path of the console. Each is encoded. */
export function pathTo(...segments: readonly string[]): string {
  return ['/console', ...segments.map(encodeURIComponent)].join('/');
}

/**
 * Matches a path against a pattern such as `/console/servers/:tenant/:server`. Returns the decoded parameters, or
 * undefined if it does not match.
 */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const found = new RegExp(`^${pattern.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`).exec(path);
  if (found === null) return undefined;
  try {
    const values = Object.entries(found.groups ?? {});
    return Object.fromEntries(values.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}

/** Listens to the browser's buttons. Called once. */
export function startRouter(): void {
  window.history.scrollRestoration = 'manual';
  window.addEventListener('popstate', () => arrive(scrolled.get(keyNow()) ?? 0));
  window.addEventListener('scroll', () => scrolled.set(keyNow(), window.scrollY), { passive: true });
}
