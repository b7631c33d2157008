/** Light or dark: the system's choice, unless the viewer has made one. */
import { effect, signal } from '@preact/signals';

/** `system`: light or dark as the browser prefers. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'mirzam-theme';

/** What `early-theme.ts` has read of this browser. */
const early = document.documentElement.dataset['theme'];

/** The viewer's choice. Setting it keeps it in this browser. */
export const theme = signal<Theme>(early === 'light' || early === 'dark' ? early : 'system');

/** Grows when colours change: what is drawn on a canvas is drawn again. */
export const repaint = signal(0);

/** Applies the choice to the document. Called once. */
export function startTheme(): void {
  effect(() => {
    const chosen = theme.value;
    if (chosen === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
    try {
      if (chosen === 'system') localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, chosen);
    } catch {
      // A browser that stores nothing still shows the theme.
    }
    repaint.value = repaint.peek() + 1;
  });
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    repaint.value += 1;
  });
}

/** Returns the present colour of a token such as `--accent`, for a canvas. */
export function colorOf(token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
