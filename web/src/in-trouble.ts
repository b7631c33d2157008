/** The number of those in trouble, on every page: in the tab's title and icon, while the tab is hidden too. */
import { effect, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { TroubleCountView } from '../../src/console/shapes.js';
import { useQuery } from './query.js';

/** The title of the page that is shown. */
export const pageTitle = signal('');

/** Those in trouble; undefined while nobody is logged in, and until the first answer. */
export const inTrouble = signal<TroubleCountView | undefined>(undefined);

/** Interval of readings beside those after events, ms: an answer may be a second and a half older than the last event. */
const EVERY_MS = 2_000;
/** Largest number in the icon. */
const ICON_MOST = 99;

/** Reads the number for as long as the console is shown. It shows nothing itself. */
export function TroubleCount() {
  const { data } = useQuery<TroubleCountView>('/console/api/trouble', {
    on: ['transition', 'delivery', 'receiver'],
    every: EVERY_MS,
    hidden: true,
  });
  useLayoutEffect(() => {
    inTrouble.value = data;
  }, [data]);
  useLayoutEffect(
    () => () => {
      inTrouble.value = undefined;
    },
    [],
  );
  return null;
}

/** Keeps the title and the icon of the tab. Called once. */
export function startTabTitle(): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')!;
  const plain = icon.getAttribute('href')!;
  effect(() => {
    const { count = 0, more = false } = inTrouble.value ?? {};
    const number = count === 0 ? '' : `(${count.toLocaleString('en')}${more ? '+' : ''}) `;
    if (pageTitle.value !== '') document.title = `${number}${pageTitle.value} · Mirzam`;
    const href = count === 0 ? plain : iconOf(count);
    if (icon.getAttribute('href') !== href) icon.setAttribute('href', href);
  });
}

/** Returns the icon with a number, as an address. */
function iconOf(count: number): string {
  const text = count > ICON_MOST ? `${ICON_MOST}+` : String(count);
  const size = [17, 15, 12][text.length - 1]!;
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#b3261e"/>' +
    `<text x="12" y="${12 + size * 0.36}" font-size="${size}" font-family="sans-serif" font-weight="700" ` +
    `fill="#fff" text-anchor="middle">${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`;
}
