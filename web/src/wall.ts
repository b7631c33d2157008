/** The overview on a wall: it fills the screen, larger, without controls. It has an address, `?wall=on`. */
import { computed } from '@preact/signals';
import { place, setQuery } from './router.js';

const PATH = '/console';

/** True while the overview is shown for a wall. */
export const isWall = computed(() => {
  const { path, search } = place.value;
  return path === PATH && new URLSearchParams(search).get('wall') === 'on';
});

/** Shows the overview for a wall. A browser that refuses the full screen shows it in its window. */
export function openWall(): void {
  setQuery({ wall: 'on' }, { push: true });
  document.documentElement.requestFullscreen?.().catch(() => undefined);
}

/** Ends it with Escape, and with the full screen. Returns what stops that. */
export function watchWall(): () => void {
  const ending = new AbortController();
  const leave = (): void => {
    if (isWall.peek()) setQuery({ wall: '' });
  };
  document.addEventListener(
    'keydown',
    ({ key }) => {
      if (key === 'Escape') leave();
    },
    ending,
  );
  document.addEventListener(
    'fullscreenchange',
    () => {
      if (document.fullscreenElement === null) leave();
    },
    ending,
  );
  return () => ending.abort();
}
