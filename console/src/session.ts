/** The session: the viewer, and the parts of the service that the viewer may see. */
import { computed, signal } from '@preact/signals';
import type { SessionView, ViewerView } from '../../src/console/shapes.js';

/** The answer of /console/api/session; undefined until the first one has come. */
export const session = signal<SessionView | undefined>(undefined);

/** The person at the console; null if the login comes first. */
export const viewer = computed<ViewerView | null>(() => session.value?.viewer ?? null);

/** Tells viewers apart: it changes only when another person is there. Empty for nobody. */
export const viewerKey = computed(() => {
  const who = viewer.value;
  if (who === null) return '';
  return who.kind === 'tenant' ? `tenant ${who.tenantId}` : 'operator';
});

/** Says that the session is over: the login is shown in place of the page, which stays where it is. */
export function endSession(): void {
  if (session.value !== undefined) session.value = { ...session.value, viewer: null, csrf: null };
}
